// What probes find out arrives field by field.

#include "carried_fields.hpp"
#include "run/message_fields.hpp"

namespace isotick::harness {
namespace {

using tests::CarriedFields;
using Texts = std::vector<std::string>;

StateDifference difference_after(std::uint64_t ticks_done) {
    StateDifference difference;
    difference.ticks_done = ticks_done;
    return difference;
}

TEST(ProbeFields, CarryLiveness) {
    CarriedFields<DifferingField>()
        .carry(&DifferingField::path, "p")
        .carry(&DifferingField::text, "t");
    CarriedFields<StateDifference>()
        .carry(&StateDifference::ticks_done, 1U)
        .carry(&StateDifference::parts, Texts{"p"})
        .carry(&StateDifference::fields, std::vector<DifferingField>{{"p", "t"}})
        .carry(&StateDifference::fields_total, 2U)
        .carry(&StateDifference::fields_known, true);
    CarriedFields<Disturbance>()
        .carry(&Disturbance::call, "render")
        .carry(&Disturbance::difference, difference_after(1));
    CarriedFields<FloatLeak>()
        .carry(&FloatLeak::call, "c")
        .carry(&FloatLeak::ticks_done, 1U)
        .carry(&FloatLeak::how, "h")
        .carry(&FloatLeak::observer, true);
    CarriedFields<FieldFacts>()
        .carry(&FieldFacts::compared, 1U)
        .carry(&FieldFacts::unhashed, Texts{"u"});
    CarriedFields<LivenessFacts>()
        .carry(&LivenessFacts::ticks, 1U)
        .carry(&LivenessFacts::players, 2U)
        .carry(&LivenessFacts::inputs_present, 3U)
        .carry(&LivenessFacts::hash_changed, true)
        .carry(&LivenessFacts::inputs_mattered, true)
        .carry(&LivenessFacts::reproduced, false)
        .carry(&LivenessFacts::unreproduced, 4U)
        .carry(&LivenessFacts::twins_compared, true)
        .carry(&LivenessFacts::parts_of_no_state, Texts{"p"})
        .carry(&LivenessFacts::twins_differ, true)
        .carry(&LivenessFacts::twins, difference_after(5))
        .carry(&LivenessFacts::calls, Texts{"hash"})
        .carry(&LivenessFacts::disturbances, std::vector<Disturbance>(1))
        .carry(&LivenessFacts::fields, FieldFacts{6, {}});
}

TEST(ProbeFields, CarryRestores) {
    CarriedFields<RestoreFacts>()
        .carry(&RestoreFacts::at, 1U)
        .carry(&RestoreFacts::run_on, 2U)
        .carry(&RestoreFacts::snapshot, 3U)
        .carry(&RestoreFacts::outcome, RestoreOutcome::unsettled)
        .carry(&RestoreFacts::way, RestoreWay::fresh)
        .carry(&RestoreFacts::difference, difference_after(4))
        .carry(&RestoreFacts::reason, "r");
}

TEST(ProbeFields, CarryMemory) {
    CarriedFields<MemoryRange>()
        .carry(&MemoryRange::type, "t")
        .carry(&MemoryRange::offset, 1U)
        .carry(&MemoryRange::size, 2U);
    CarriedFields<UnseenPiece>()
        .carry(&UnseenPiece::range, MemoryRange{"t", 1, 2})
        .carry(&UnseenPiece::member, "m")
        .carry(&UnseenPiece::word, true)
        .carry(&UnseenPiece::global, true)
        .carry(&UnseenPiece::padding, true)
        .carry(&UnseenPiece::opaque, true);
    CarriedFields<TypeMemory>()
        .carry(&TypeMemory::type, "t")
        .carry(&TypeMemory::size, 1U)
        .carry(&TypeMemory::objects, 2U)
        .carry(&TypeMemory::made_up, 3U)
        .carry(&TypeMemory::unseen, std::vector<MemoryRange>(1))
        .carry(&TypeMemory::pieces, std::vector<UnseenPiece>(1))
        .carry(&TypeMemory::offsets, std::vector<std::uint64_t>{4});
    CarriedFields<GlobalFacts>()
        .carry(&GlobalFacts::unavailable, "u")
        .carry(&GlobalFacts::variables, 1U)
        .carry(&GlobalFacts::constant, 2U)
        .carry(&GlobalFacts::unknown, 3U);
}

TEST(ProbeFields, CarryPoisons) {
    CarriedFields<TransplantFacts>()
        .carry(&TransplantFacts::at, 1U)
        .carry(&TransplantFacts::range, MemoryRange{"t", 2, 3})
        .carry(&TransplantFacts::outcome, TransplantOutcome::absent);
    CarriedFields<PoisonFacts>()
        .carry(&PoisonFacts::range, MemoryRange{"t", 1, 2})
        .carry(&PoisonFacts::outcome, PoisonOutcome::pointer)
        .carry(&PoisonFacts::at, 3U)
        .carry(&PoisonFacts::changed_at, 4U)
        .carry(&PoisonFacts::changed, Texts{"p"})
        .carry(&PoisonFacts::repair, RepairOutcome::crashed)
        .carry(&PoisonFacts::reset, ResetOutcome::future);
}

TEST(ProbeFields, CarryFlips) {
    CarriedFields<FlippedClass>()
        .carry(&FlippedClass::path, "p")
        .carry(&FlippedClass::tried, 1U)
        .carry(&FlippedClass::unseen, 2U)
        .carry(&FlippedClass::sticky, true);
    CarriedFields<FlipBreak>().carry(&FlipBreak::what, "w").carry(&FlipBreak::how, "h");
    CarriedFields<FlipFacts>()
        .carry(&FlipFacts::at, 1U)
        .carry(&FlipFacts::classes, std::vector<FlippedClass>(1))
        .carry(&FlipFacts::broken, 2U)
        .carry(&FlipFacts::breaks, std::vector<FlipBreak>(1))
        .carry(&FlipFacts::snapshot_tried, 3U)
        .carry(&FlipFacts::snapshot_taken, 4U)
        .carry(&FlipFacts::snapshot_unseen, Texts{"u"})
        .carry(&FlipFacts::snapshot_idle, 5U);
}

}  // namespace
}  // namespace isotick::harness
