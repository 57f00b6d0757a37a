// Two field streams, damaged or not, held against each other.

#include "../support/fuzz_target.hpp"

#include <isotick/core/detail/field_difference.hpp>
#include <isotick/core/detail/field_selection.hpp>
#include <isotick/core/detail/fields.hpp>

#include <algorithm>

namespace isotick::fuzz {
namespace {

using core::ErrorCode;
using core::Result;

constexpr std::size_t kMost = 20;

// The first differs from the second as the comparison says that takes it in two pieces.
void check_pieces(Input before, Input after, const Result<core::FieldDifferences>& compared) {
    core::FieldComparison comparison(before);
    const isotick_sink sink = comparison.sink();
    const std::size_t half = after.size() / 2;
    for (const Input piece : {after.first(half), after.subspan(half)}) {
        if (sink.write(sink.context, piece.data(), piece.size()) != ISOTICK_OK) {
            break;
        }
    }
    const auto finished = comparison.finish(kMost);
    require(finished.has_value() == compared.has_value(), "a stream in pieces is the same stream");
    require(!finished || finished->total == compared->total, "pieces differ as much as the whole");
}

void check_selection(Input fields, bool intact) {
    const auto everything = core::FieldPattern::parse("");
    std::uint64_t taken = 0;
    const auto selected = core::select_fields(fields, *everything, [&](const auto&) { ++taken; });
    require(selected.has_value() == intact, "all fields are there where the stream is intact");
    require(!selected || selected->total == taken, "fields that were handed out are counted");
}

}  // namespace

void run(Input input) {
    const std::size_t size = take_short(input);
    const Input before = input.first(std::min(size, input.size()));
    const Input after = input.subspan(before.size());
    const bool intact = core::check_fields(before).has_value();
    const bool both = intact && core::check_fields(after);
    const auto compared = core::compare_fields(before, after, kMost);
    require(compared.has_value() == both, "what is intact can be compared, and nothing else");
    require(compared || compared.error().code == ErrorCode::damaged, "damage is called so");
    const auto back = core::compare_fields(after, before, kMost);
    require(back.has_value() == both, "it does not matter which comes first");
    require(!compared || (compared->total == 0) == (back->total == 0), "both ways differ or not");
    require(!compared || compared->total >= compared->listed.size(), "what is listed is counted");
    const auto self = core::compare_fields(before, before, kMost);
    require(!intact || (self && self->total == 0), "a state does not differ from itself");
    check_pieces(before, after, compared);
    check_selection(before, intact);
    const auto nan = core::find_nan_field(before);  // looks no further than the first
    require(nan ? intact || nan->has_value() : !intact, "NaNs are looked for up to the damage");
}

}  // namespace isotick::fuzz
