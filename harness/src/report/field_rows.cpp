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

std::string kind_lines(const FieldDifferences& differences, std::size_t kind) {
    std::string lines;
    std::uint64_t rest = differences.kinds[kind].total;
    for (const FieldDifference& difference : differences.listed) {
        if (difference.field_kind == kind) {
            lines += "    " + to_string(difference) + "\n";
            --rest;
        }
    }
    return lines + (rest == 0 ? ""
                              : fmt::format("    … and {} more of {}\n", grouped(rest),
                                            differences.kinds[kind].path));
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
        text += kind_lines(differences, kind);
    }
    return text;
}

std::string field_rows(const FieldReport& report, std::string_view sides, std::string_view more) {
    if (report.known) {
        return difference_rows(report.differences, sides, more);
    }
    return report.unknown.empty() ? "" : row("fields", "unknown: " + report.unknown);
}

std::string cause_row(const std::vector<AxisValue>& axes, std::string_view why) {
    std::vector<std::string> names;
    for (const AxisValue& value : axes) {
        names.push_back(value.axis);
    }
    return names.empty() ? "" : row("cause", core::joined(names, " and ") + std::string(why));
}

std::string asked_rows(const std::vector<SystemReads>& reads) {
    std::string text;
    for (const SystemReads& one : reads) {
        for (const SystemCall& call : one.first) {
            std::string calls = call.name;
            for (const std::string& name : names_of(call.sites)) {
                calls += " ← " + name;
            }
            text += row("asked", calls + ", " + describe(call.place.activity, call.place.tick));
        }
    }
    return text;
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

std::string subject_of(const std::vector<AxisValue>& values) {
    if (values.size() == 1 && is_setting(values.front())) {
        return "the setting";
    }
    std::vector<std::string> names;
    for (const AxisValue& value : values) {
        names.push_back(value.axis);
    }
    return core::joined(names, " and ");
}

}  // namespace

std::string in_short(const AxisValue& value) {
    return (is_setting(value) ? key_of(value) : value.axis) + "=" + value.value;
}

std::string trial_axis_rows(const TrialPlan& plan, const replay::RecordingHead& head) {
    const core::SimulationSetup setup = setup_of(head, plan.environment);
    std::string text;
    for (const AxisValue& value : plan.drive.axes) {
        text += row(is_setting(value) ? "setting" : "axis", in_words(value, setup));
    }
    return text;
}

std::string varied_rows(const std::vector<AxisValue>& values, const replay::RecordingHead& head,
                        const core::Settings& environment) {
    const core::SimulationSetup setup = setup_of(head, environment);
    std::string text;
    for (std::size_t i = 0; i < values.size();) {
        AxisValue all = values[i];
        for (++i; i < values.size() && values[i].axis == all.axis; ++i) {
            all.value += "," + values[i].value;
        }
        text += row("varied", in_words(all, setup));
    }
    return text;
}

std::string axis_cause(const std::vector<AxisValue>& varied,
                       const std::vector<AxisValue>& provoking) {
    if (varied.empty()) {
        return "";
    }
    const std::string it = (provoking.empty() ? varied : provoking).size() == 1 ? "it" : "them";
    return provoking.empty() ? "not " + subject_of(varied) + " alone: the same trial without " +
                                   it + " does not give the recorded hash either"
                             : subject_of(provoking) + ": the same trial without " + it +
                                   " gives the recorded hash";
}

std::string leak_row(const std::vector<AxisValue>& provoking, const std::string& tick) {
    const Axis* axis = provoking.size() == 1 ? find_axis(provoking.front().axis) : nullptr;
    return axis == nullptr || axis->leak == nullptr
               ? ""
               : row("leak", axis->leak(provoking.front().value, tick));
}

}  // namespace isotick::harness
