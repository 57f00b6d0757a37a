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

std::vector<std::string> kind_lines(const FieldDifferences& differences, std::size_t kind,
                                    bool details) {
    std::vector<std::string> lines;
    for (const FieldDifference& difference : differences.listed) {
        if (difference.field_kind == kind) {
            lines.push_back(details ? to_string(difference) : plainly(difference));
        }
    }
    const FieldKind& all = differences.kinds[kind];
    if (lines.size() < all.total) {
        lines.push_back(
            fmt::format("… and {} more of {}", grouped(all.total - lines.size()), all.path));
    }
    return lines;
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

std::string page_text(const std::vector<PageRow>& rows) {
    std::string text;
    for (const PageRow& one : rows) {
        text += one.is_command ? row(one.name, one.text) : paragraph(one.name, one.text);
        for (const std::string& line : one.lines) {
            text += row("", line);
        }
    }
    return text;
}

PageRow differing_row(const std::vector<std::string>& parts, const FieldReport& report,
                      std::string_view sides, std::string_view more, bool details) {
    const FieldDifferences& differences = report.differences;
    const std::string in = core::joined(parts);
    if (report.known && differences.total == 0) {
        return {"differs in", (in.empty() ? "" : in + "; ") +
                                  std::string("no field differs: the difference is in hashed bytes "
                                              "that are not fields, such as padding")};
    }
    if (!report.known) {
        const std::string why = report.unknown.empty() ? "" : "fields unknown: " + report.unknown;
        return {"differs in", in + (in.empty() || why.empty() ? "" : "; ") + why};
    }
    const bool is_cut = differences.listed.size() < differences.total && !more.empty();
    PageRow row{"differs in", fmt::format("{}; {}{}", parts_text(differences), sides,
                                          is_cut ? "; " + std::string(more) : "")};
    for (std::size_t kind = 0; kind < differences.kinds.size(); ++kind) {
        for (std::string& line : kind_lines(differences, kind, details)) {
            row.lines.push_back(std::move(line));
        }
    }
    return row;
}

std::string differing_rows(const std::vector<std::string>& parts, const FieldReport& report,
                           std::string_view sides, std::string_view more) {
    return page_text({differing_row(parts, report, sides, more, false)});
}

std::string asked_text(const std::vector<SystemReads>& reads) {
    constexpr std::size_t kMost = 3;
    std::vector<std::string> calls;
    std::size_t more = 0;
    for (const SystemReads& one : reads) {
        for (const SystemCall& call : one.first) {
            if (calls.size() == kMost) {
                ++more;
                continue;
            }
            const std::string from = core::joined(names_of(call.sites), " ← ");
            const std::string in = call.place.activity == Activity::starting
                                       ? ""
                                       : " " + describe(call.place.activity, call.place.tick);
            calls.push_back(call.name + in + (from.empty() ? "" : ", called by " + from));
        }
    }
    if (more > 0) {
        calls.push_back("and from " + counted(more, "more place"));
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

std::vector<PageRow> trial_axis_rows(const TrialPlan& plan, const replay::RecordingHead& head) {
    const core::SimulationSetup setup = setup_of(head, plan.environment);
    std::vector<PageRow> rows;
    for (const AxisValue& value : plan.drive.axes) {
        rows.push_back({is_setting(value) ? "setting" : "axis", in_words(value, setup)});
    }
    return rows;
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
