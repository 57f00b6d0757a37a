// isotick diff of two state dumps.

#include "state_diff.hpp"

#include "../../../src/report/failure/field_rows.hpp"
#include "../../json/recording_json.hpp"
#include "../../output/report_words.hpp"
#include "../../output/text.hpp"

#include <isotick/harness/detail/explain/explain.hpp>
#include <isotick/harness/detail/explain/field_report.hpp>

#include <fmt/format.h>

namespace isotick::program {
namespace {

using harness::StateComparison;

// Hashes of different algorithms cannot tell states apart.
bool same_hash(const StateComparison& compared) {
    return compared.a.hash_algorithm != compared.b.hash_algorithm ||
           compared.a.hash == compared.b.hash;
}

bool identical(const StateComparison& compared) {
    return same_hash(compared) && compared.differences.total == 0;
}

std::string side_row(const char* name, const std::string& path, const StateComparison::Side& side) {
    return row(name, fmt::format("{}: {} after {}, {} ({})", path, side.simulation,
                                 harness::describe_state(side.ticks_done), to_string(side.hash),
                                 side.hash_algorithm));
}

std::string state_diff_text(const DiffOptions& options, const StateComparison& compared) {
    std::string text = side_row("a", options.a, compared.a) + side_row("b", options.b, compared.b);
    if (compared.a.simulation != compared.b.simulation) {
        text += row("note", "these are states of different simulations");
    } else if (compared.a.ticks_done != compared.b.ticks_done) {
        text += row("note", "these are states after different ticks");
    }
    if (identical(compared)) {
        return text + "IDENTICAL  same fields" +
               (compared.a.hash_algorithm == compared.b.hash_algorithm ? ", same hash\n" : "\n");
    }
    if (compared.differences.total != 0 && same_hash(compared)) {
        text += row("warning", "the hashes are equal: they do not cover these fields");
    }
    return text + harness::difference_rows(compared.differences, "a → b", kMoreFields) +
           "DIFFERS\n";
}

}  // namespace

int run_state_diff(const DiffOptions& options, Console& console) {
    const auto most = fields_option(options.fields, options.json);
    if (!most) {
        return fail_with(most.error(), console);
    }
    const auto compared = harness::compare_state_dumps(options.a, options.b, *most);
    if (!compared) {
        return fail_with(compared.error(), console);
    }
    console.print(options.json ? state_diff_json(options, *compared,
                                                 identical(*compared) ? "identical" : "differs")
                               : state_diff_text(options, *compared));
    return identical(*compared) ? 0 : 1;
}

}  // namespace isotick::program
