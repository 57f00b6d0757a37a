#include "field_rows.hpp"

#include "../rows.hpp"

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

}  // namespace isotick::harness
