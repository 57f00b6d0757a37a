#include "field_rows.hpp"

#include "../axes/axes.hpp"
#include "../system/rows.hpp"
#include "../system/site_names.hpp"

#include <isotick/core/detail/text.hpp>
#include <isotick/harness/detail/simulation_facts.hpp>

#include <fmt/format.h>

namespace isotick::harness {
namespace {

using core::FieldDifference;
using core::FieldDifferences;
using core::FieldKind;

std::uint64_t total_of(const FieldDifferences& differences, const std::string& part) {
    std::uint64_t total = 0;
    for (const FieldKind& kind : differences.kinds) {
        total += kind.part == part ? kind.total : 0;
    }
    return total;
}

// What says nothing to most readers is left out: bits where the values differ, and how many floats
// lie between numbers that are far from each other.
std::string plainly(FieldDifference difference) {
    const auto is_close = [](const std::string& value, const std::string& other) {
        return value != "0" && value != "-0" && value.find("inf") == value.npos &&
               value.starts_with('-') == other.starts_with('-');
    };
    const bool is_float = difference.ulps || difference.note.starts_with("0x");
    if (difference.ulps && !(is_close(difference.before, difference.after) &&
                             is_close(difference.after, difference.before))) {
        difference.ulps.reset();
    }
    if (is_float && difference.before != difference.after) {
        difference.note.clear();
    }
    return to_string(difference);
}

std::string kind_lines(const FieldDifferences& differences, std::size_t kind,
                       std::string_view indent, bool details) {
    std::string lines;
    std::uint64_t rest = differences.kinds[kind].total;
    for (const FieldDifference& difference : differences.listed) {
        if (difference.field_kind == kind) {
            lines += fmt::format("{}{}\n", indent,
                                 details ? to_string(difference) : plainly(difference));
            --rest;
        }
    }
    return lines + (rest == 0 ? ""
                              : fmt::format("{}… and {} more of {}\n", indent, grouped(rest),
                                            differences.kinds[kind].path));
}

// `units (75 fields), random (1 field)`
std::string parts_text(const FieldDifferences& differences) {
    std::vector<std::string> parts;
    std::string last;
    for (const FieldKind& kind : differences.kinds) {
        if (kind.part != last) {
            last = kind.part;
            parts.push_back(
                fmt::format("{} ({})", last, counted(total_of(differences, last), "field")));
        }
    }
    return core::joined(parts);
}

}  // namespace

std::string difference_rows(const FieldDifferences& differences, std::string_view sides,
                            std::string_view more) {
    if (differences.total == 0) {
        return row(
            "fields",
            "none differs: the difference is in hashed bytes that are not fields, such as padding");
    }
    const std::string number =
        differences.total == 1 ? "1 differs" : grouped(differences.total) + " differ";
    const std::string cut = differences.listed.size() < differences.total && !more.empty()
                                ? "; " + std::string(more)
                                : "";
    std::string text = row("fields", fmt::format("{} ({}){}", number, sides, cut));
    std::string part;
    for (std::size_t kind = 0; kind < differences.kinds.size(); ++kind) {
        if (differences.kinds[kind].part != part) {
            part = differences.kinds[kind].part;
            text += row("in " + part, counted(total_of(differences, part), "field"));
        }
        text += kind_lines(differences, kind, "    ", true);
    }
    return text;
}

std::string field_rows(const FieldReport& report, std::string_view sides, std::string_view more) {
    if (report.known) {
        return difference_rows(report.differences, sides, more);
    }
    return report.unknown.empty() ? "" : row("fields", "unknown: " + report.unknown);
}

std::string differing_rows(const std::vector<std::string>& parts, const FieldReport& report,
                           std::string_view sides, std::string_view more, bool details) {
    const FieldDifferences& differences = report.differences;
    if (!report.known || differences.total == 0) {
        return paragraph("differs in",
                         (parts.empty() ? "unknown parts: the recording has no part hashes for "
                                          "this state"
                                        : core::joined(parts)) +
                             (report.known ? "; no field differs: the difference is in hashed "
                                             "bytes that are not fields, such as padding"
                                           : ""));
    }
    const bool is_cut = differences.listed.size() < differences.total && !more.empty();
    std::string text =
        paragraph("differs in", fmt::format("{}; {}{}", parts_text(differences), sides,
                                            is_cut ? "; " + std::string(more) : ""));
    for (std::size_t kind = 0; kind < differences.kinds.size(); ++kind) {
        text += kind_lines(differences, kind, "              ", details);
    }
    return text;
}

std::string asked_text(const std::vector<SystemReads>& reads) {
    std::vector<std::string> calls;
    for (const SystemReads& one : reads) {
        for (const SystemCall& call : one.first) {
            const std::string from = core::joined(names_of(call.sites), " ← ");
            calls.push_back(call.name + " " + describe(call.place.activity, call.place.tick) +
                            (from.empty() ? "" : ", called by " + from));
        }
    }
    return core::joined(calls, "; ");
}

namespace {

std::string in_words(const AxisValue& value, const core::SimulationSetup& setup) {
    const Axis* axis = find_axis(value.axis);
    if (axis == nullptr || !axis->is_setting()) {
        return to_string(value) + (axis == nullptr ? "" : ": " + std::string(axis->varies));
    }
    const auto usual = usual_value(value, setup);
    const bool config = axis->name == "config.";
    const std::string text = key_of(value) + "=" + value.value;
    if (!usual) {
        return text + (config ? ", which the recorded config leaves open"
                              : " in the environment, usually not set");
    }
    return text + (config ? " instead of the recorded " : " in the environment, instead of ") +
           *usual;
}

bool is_setting(const AxisValue& value) {
    const Axis* axis = find_axis(value.axis);
    return axis != nullptr && axis->is_setting();
}

}  // namespace

std::string trial_axis_rows(const TrialPlan& plan, const replay::RecordingHead& head) {
    const core::SimulationSetup setup = setup_of(head, plan.environment);
    std::string text;
    for (const AxisValue& value : plan.drive.axes) {
        text += row(is_setting(value) ? "setting" : "axis", in_words(value, setup));
    }
    return text;
}

std::vector<std::string> varied_texts(const std::vector<AxisValue>& values,
                                      const replay::RecordingHead& head,
                                      const core::Settings& environment) {
    const core::SimulationSetup setup = setup_of(head, environment);
    std::vector<std::string> texts;
    for (std::size_t i = 0; i < values.size();) {
        AxisValue all = values[i];
        for (++i; i < values.size() && values[i].axis == all.axis; ++i) {
            all.value += "," + values[i].value;
        }
        texts.push_back(in_words(all, setup));
    }
    return texts;
}

std::string in_a_sentence(const AxisValue& value, const core::SimulationSetup& setup) {
    const Axis* axis = find_axis(value.axis);
    if (axis == nullptr || axis->is_setting()) {
        return "the setting " + in_words(value, setup);
    }
    return fmt::format("{} ({})", meaning_of(*axis, value.value).changes, to_string(value));
}

}  // namespace isotick::harness
