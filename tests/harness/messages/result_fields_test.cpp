// What a worker answers arrives field by field.

#include "carried_fields.hpp"
#include "run/message_fields.hpp"

#include <limits>

namespace isotick::harness {
namespace {

using tests::CarriedFields;

const core::Error kResultError{core::ErrorCode::damaged, "m", "f", 1, 2};
const std::vector<core::PartHash> kParts{{1}, {UINT64_MAX}};

TEST(ResultFields, CarryErrors) {
    CarriedFields<core::Error>()
        .carry(&core::Error::code, core::ErrorCode::simulation)
        .carry(&core::Error::message, "m\xff")
        .carry(&core::Error::file, "f")
        .carry(&core::Error::offset, 0U)
        .carry(&core::Error::tick, 1U);
}

TEST(ResultFields, CarryDivergences) {
    CarriedFields<FrameContext>()
        .carry(&FrameContext::frame, 1U)
        .carry(&FrameContext::frame_time, core::FrameTime{-2})
        .carry(&FrameContext::tick_in_frame, 3U)
        .carry(&FrameContext::ticks_in_frame, 4U)
        .carry(&FrameContext::idle_frames, 5U)
        .carry(&FrameContext::last_alpha, std::numeric_limits<double>::denorm_min())
        .carry(&FrameContext::back, 6U);
    CarriedFields<Rerun>().carry(&Rerun::first_steps, 1U).carry(&Rerun::back_from, 2U);
    CarriedFields<StateRecord>()
        .carry(&StateRecord::ticks_done, 1U)
        .carry(&StateRecord::hash, core::StateHash{2})
        .carry(&StateRecord::parts, kParts)
        .carry(&StateRecord::context, FrameContext{.frame = 3})
        .carry(&StateRecord::steps, 4U)
        .carry(&StateRecord::rerun, Rerun{});
    CarriedFields<Divergence>()
        .carry(&Divergence::computed, StateRecord{.ticks_done = 1})
        .carry(&Divergence::recorded, core::StateHash{2})
        .carry(&Divergence::recorded_parts, kParts)
        .carry(&Divergence::last_agreed, 3U)
        .carry(&Divergence::last_agreed_steps, 4U);
}

TEST(ResultFields, CarryStatistics) {
    CarriedFields<TrialStatistics>()
        .carry(&TrialStatistics::ticks, 1U)
        .carry(&TrialStatistics::ticks_reached, 2U)
        .carry(&TrialStatistics::frames, 3U)
        .carry(&TrialStatistics::hashes_compared, 4U)
        .carry(&TrialStatistics::least_ticks_per_frame, 5U)
        .carry(&TrialStatistics::most_ticks_per_frame, 6U)
        .carry(&TrialStatistics::inputs_present, 7U)
        .carry(&TrialStatistics::schedule_repeats, 8U)
        .carry(&TrialStatistics::state_loads, 9U)
        .carry(&TrialStatistics::least_ticks_back, 10U)
        .carry(&TrialStatistics::most_ticks_back, 11U)
        .carry(&TrialStatistics::ticks_undone, 12U)
        .carry(&TrialStatistics::final_steps, 13U)
        .carry(&TrialStatistics::hash_changed, true);
}

TEST(ResultFields, CarryTrialResults) {
    CarriedFields<Place>()
        .carry(&Place::activity, Activity::visiting)
        .carry(&Place::tick, core::Tick{1})
        .carry(&Place::steps, 2U);
    CarriedFields<HostCalls>().carry(&HostCalls::begin_frame, true).carry(&HostCalls::render, true);
    CarriedFields<TrialResult>()
        .carry(&TrialResult::verdict, Verdict::inconclusive)
        .carry(&TrialResult::reason, "r")
        .carry(&TrialResult::refused, kResultError)
        .carry(&TrialResult::failed_in, Place{})
        .carry(&TrialResult::divergence, Divergence{})
        .carry(&TrialResult::statistics, TrialStatistics{.ticks = 1})
        .carry(&TrialResult::last_hash, core::StateHash{})
        .carry(&TrialResult::part_names, std::vector<std::string>{"a", ""})
        .carry(&TrialResult::trace, std::vector<StateRecord>(3))
        .carry(&TrialResult::checkpoints, std::vector<Checkpoint>(2))
        .carry(&TrialResult::dumped, true)
        .carry(&TrialResult::dump_failed, kResultError)
        .carry(&TrialResult::note, "n")
        .carry(&TrialResult::calls, HostCalls{})
        .carry(&TrialResult::build_id, "b")
        .carry(&TrialResult::damaged_at, std::optional<std::uint64_t>(12))
        .carry(&TrialResult::unread, std::vector<std::string>{"config.workers"})
        .carry(&TrialResult::bad_end, "left 2 processes running")
        .carry(&TrialResult::diverged_state, std::vector<std::byte>(100'000, std::byte{0xff}));
}

TEST(ResultFields, LeaveToTheParentWhatItAdds) {
    const TrialResult told{.output = "what the worker says that it printed", .fresh = true};
    const auto arrived = from_bytes<TrialResult>(to_bytes(told));
    ASSERT_TRUE(arrived);
    EXPECT_EQ(arrived->output, "");
    EXPECT_FALSE(arrived->fresh);
}

TEST(ResultFields, CarryRecordResults) {
    CarriedFields<RecordResult>()
        .carry(&RecordResult::error, kResultError)
        .carry(&RecordResult::kept, true)
        .carry(&RecordResult::ticks, 1U)
        .carry(&RecordResult::frames, 2U)
        .carry(&RecordResult::inputs_present, 3U)
        .carry(&RecordResult::last_hash, core::StateHash{4})
        .carry(&RecordResult::session_digest, core::Digest{5, 6});
}

TEST(ResultFields, CarryProbeResults) {
    CarriedFields<ProbeResult>()
        .carry(&ProbeResult::verdict, Verdict::crashed)
        .carry(&ProbeResult::reason, "r")
        .carry(&ProbeResult::refused, kResultError)
        .carry(&ProbeResult::work, 1U)
        .carry(&ProbeResult::capabilities, 2U)
        .carry(&ProbeResult::liveness, LivenessFacts{.ticks = 3})
        .carry(&ProbeResult::float_leaks, std::vector<FloatLeak>(1))
        .carry(&ProbeResult::restores, std::vector<RestoreFacts>(1))
        .carry(&ProbeResult::transplants, std::vector<TransplantFacts>(1))
        .carry(&ProbeResult::types, std::vector<TypeMemory>(1))
        .carry(&ProbeResult::globals, GlobalFacts{.variables = 4})
        .carry(&ProbeResult::poisons, std::vector<PoisonFacts>(1))
        .carry(&ProbeResult::flips, FlipFacts{.at = 5});
}

TEST(ResultFields, CarryFacts) {
    CarriedFields<SimulationFacts>()
        .carry(&SimulationFacts::name, "n")
        .carry(&SimulationFacts::summary, "s")
        .carry(&SimulationFacts::config_help, "c")
        .carry(&SimulationFacts::build_id, "b")
        .carry(&SimulationFacts::hash_algorithm, "h")
        .carry(&SimulationFacts::nan_policy, "one")
        .carry(&SimulationFacts::rate, core::TickRate::make(50, 1).value())
        .carry(&SimulationFacts::least_players, 1U)
        .carry(&SimulationFacts::most_players, 2U)
        .carry(&SimulationFacts::usual_players, 3U)
        .carry(&SimulationFacts::capabilities, 4U)
        .carry(&SimulationFacts::has_bot, true)
        .carry(&SimulationFacts::calls, HostCalls{true, false});
    CarriedFields<HeldAt>().carry(&HeldAt::ticks, 1U);
}

}  // namespace
}  // namespace isotick::harness
