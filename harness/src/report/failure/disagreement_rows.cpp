#include "disagreement_rows.hpp"

#include "../rows.hpp"
#include "field_rows.hpp"
#include "phase_rows.hpp"

#include <isotick/core/detail/text/joined.hpp>

#include <fmt/format.h>

namespace isotick::harness {
namespace {

// Of the further runs those behind so many are forked.
constexpr std::uint64_t kFresh = 8;

// Which runs A and B are, and what the others came to.
std::string runs_text(const Disagreement& found) {
    const std::string first_two = "A and B are the two runs that differed";
    if (found.outcomes == 0) {
        return first_two;
    }
    const std::string more = counted(found.runs, "more run") +
                             (found.runs > kFresh ? " in other processes" : " in fresh processes");
    if (found.b_is_further) {
        return fmt::format("A came first; B is one of {}, which agreed with one another", more);
    }
    if (found.outcomes == 1) {
        return fmt::format("{}; {} agreed with one another", first_two, more);
    }
    if (found.outcomes == found.runs) {
        return fmt::format("A and B are two of {}; all gave different states", more);
    }
    return fmt::format(
        "A and B are two of {}, which gave {} different states, {} of them the same one", more,
        found.outcomes, found.most_alike);
}

}  // namespace

std::string disagreement_rows(const Disagreement& found, const TrialResult& result,
                              std::string_view more) {
    const Divergence& divergence = *result.divergence;
    std::string text = divergence.computed.ticks_done == found.ticks_done
                           ? row("recorded", to_string(divergence.recorded))
                           : "";
    text += row("run A", to_string(found.a));
    text += row("run B", to_string(found.b));
    text += row("differs in", found.parts.empty() ? "the parts of one run are unknown"
                                                  : core::joined(found.parts));
    text += row("agreed to",
                found.last_agreed ? describe_state(*found.last_agreed) : std::string("none"));
    text += phase_rows(found.phases, found.parts);
    text += row("runs", runs_text(found));
    return text + field_rows(found.fields, "run A → run B", more);
}

}  // namespace isotick::harness
