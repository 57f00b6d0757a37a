#include "audit_report.hpp"
#include "text.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace isotick::program {
namespace {

using harness::AuditedType;
using harness::AuditReport;
using harness::RangeKind;
using harness::UnseenRange;
using harness::Verdict;

constexpr std::size_t kNameWidth = 22;

// A section's further lines stand under its first.
std::string under(const std::string& text) {
    return fmt::format("  {:<11} {}\n", "", printable(text));
}

std::string numbers(const std::vector<std::uint64_t>& values) {
    std::string text;
    for (const std::uint64_t value : values) {
        text += (text.empty() ? "" : ", ") + std::to_string(value);
    }
    return text;
}

std::string snapshot_text(const AuditReport& report) {
    if (!report.snapshot_unavailable.empty()) {
        return row("snapshot", "not available: " + report.snapshot_unavailable);
    }
    std::size_t matched = 0;
    std::uint64_t longest = 0;
    std::vector<std::uint64_t> ticks;
    for (const harness::RestoreFacts& restore : report.restores) {
        matched += restore.outcome == harness::RestoreOutcome::matched ? 1 : 0;
        longest = std::max(longest, restore.run_on);
        ticks.push_back(restore.at - 1);
    }
    return row("snapshot", fmt::format("{} of {} restored states run on as the original, for {}",
                                       matched, report.restores.size(), counted(longest, "tick"))) +
           under("restored after ticks " + numbers(ticks));
}

const char* words_for(const UnseenRange& unseen) {
    switch (unseen.kind) {
        case RangeKind::unused:
            return unseen.piece.padding ? "padding" : "no tick depends on it";
        case RangeKind::seen:
            return "the hash sees it all the same";
        case RangeKind::constant:
            return "decides the future and never changes: made from the session's setup";
        case RangeKind::derived:
            return "a cache: changed, it decides the future, but it comes right without being "
                   "saved";
        case RangeKind::forgotten:
            return "forgotten: decides the future, and load leaves it as it is";
        case RangeKind::unclear:
            return "decides the future: state or a cache, which cannot be told without save";
        case RangeKind::pointer:
            return "a pointer, a container or a size: cannot be told by changing it";
        case RangeKind::untried:
            return unseen.piece.padding ? "padding, not looked into" : "not looked into";
    }
    return "";
}

std::string range_text(const UnseenRange& unseen) {
    const harness::MemoryRange& range = unseen.piece.range;
    const std::string name = unseen.piece.padding          ? "(padding)"
                             : unseen.piece.member.empty() ? "(no name)"
                                                           : unseen.piece.member;
    return under(fmt::format("    {:<{}} {} at {}: {}{}", name, kNameWidth,
                             counted(range.size, "byte"), range.offset, words_for(unseen),
                             unseen.cures ? "; copied over, it cures a restored future" : ""));
}

// Whether one must know of it, rather than may.
bool matters(const UnseenRange& unseen) {
    return unseen.kind != RangeKind::unused && unseen.kind != RangeKind::pointer &&
           unseen.kind != RangeKind::untried;
}

// All that matter, and of the others as many as a person reads.
std::string ranges_text(const std::vector<UnseenRange>& ranges) {
    constexpr std::size_t kMostOthers = 16;
    std::string text;
    std::size_t others = 0;
    std::uint64_t rest = 0;
    for (const UnseenRange& unseen : ranges) {
        if (matters(unseen) || ++others <= kMostOthers) {
            text += range_text(unseen);
        } else {
            rest += unseen.piece.range.size;
        }
    }
    return others <= kMostOthers
               ? text
               : text + under(fmt::format("    … and {} without known effect, {} in all",
                                          counted(others - kMostOthers, "more piece"),
                                          counted(rest, "byte")));
}

std::string type_text(const AuditedType& type) {
    const harness::TypeMemory& memory = type.memory;
    const std::uint64_t seen = memory.size - type.unseen_bytes;
    const double share = memory.size == 0
                             ? 100.0
                             : 100.0 * static_cast<double>(seen) / static_cast<double>(memory.size);
    return fmt::format("{}: {} of {} seen ({:.1f}%), {}",
                       memory.type.empty() ? "(no name)" : memory.type, seen,
                       counted(memory.size, "byte"), share, counted(memory.objects, "object"));
}

std::uint64_t untried_bytes(const AuditReport& report) {
    std::uint64_t bytes = 0;
    for (const AuditedType& type : report.types) {
        for (const UnseenRange& unseen : type.ranges) {
            bytes += unseen.kind == RangeKind::untried ? unseen.piece.range.size : 0;
        }
    }
    return bytes;
}

std::string coverage_text(const AuditReport& report) {
    if (!report.coverage_unavailable.empty()) {
        return row("coverage", "not available: " + report.coverage_unavailable);
    }
    const auto is_whole = [](const AuditedType& type) { return type.unseen_bytes == 0; };
    const auto whole = std::count_if(report.types.begin(), report.types.end(), is_whole);
    const std::uint64_t untried = untried_bytes(report);
    std::string text =
        row("coverage",
            fmt::format("{} of {} seen in full{}", whole, counted(report.types.size(), "type"),
                        untried == 0
                            ? ""
                            : "; " + counted(untried, "byte") + " of the others not looked into"));
    for (const AuditedType& type : report.types) {
        if (is_whole(type)) {
            continue;
        }
        text += under("  " + type_text(type));
        if (type.memory.made_up != 0) {
            text += under(fmt::format("    {} made by serialize, of bytes that it alone knows",
                                      counted(type.memory.made_up, "value")));
        }
        text += ranges_text(type.ranges);
    }
    return text;
}

std::string hash_text(const AuditReport& report) {
    if (!report.flips_unavailable.empty()) {
        return row("hash", "not available: " + report.flips_unavailable);
    }
    const harness::FlipFacts& flips = report.flips;
    std::uint64_t values = 0;
    std::uint64_t unseen = 0;
    for (const harness::FlippedClass& one : flips.classes) {
        values += one.tried;
        unseen += one.unseen;
    }
    const auto seen = [](std::uint64_t missed, std::uint64_t of) {
        return missed == 0 ? std::string("all seen") : fmt::format("{} of {} missed", missed, of);
    };
    std::string text;
    if (!flips.classes.empty()) {
        text = row("hash",
                   fmt::format("{} changed in memory, {} of each at most: {}",
                               counted(flips.classes.size(), "path"), 4, seen(unseen, values)));
    }
    if (flips.snapshot_tried != 0) {
        const std::string line =
            fmt::format("{} of a snapshot changed, {} of which load took over: {}",
                        counted(flips.snapshot_tried, "byte"), flips.snapshot_taken,
                        seen(flips.snapshot_unseen.size(), flips.snapshot_taken));
        text += text.empty() ? row("hash", line) : under(line);
    }
    return text.empty() ? row("hash", "not measured: no single value could be changed") : text;
}

std::string liveness_text(const AuditReport& report) {
    const harness::LivenessFacts& facts = report.liveness;
    if (facts.ticks == 0) {
        return "";
    }
    const std::string inputs = facts.inputs_present == 0 ? "there are no inputs"
                               : facts.inputs_mattered   ? "inputs matter"
                                                         : "inputs do not matter";
    std::string text =
        row("liveness", fmt::format("{}: the hash {}, {}", counted(facts.ticks, "tick"),
                                    facts.hash_changed ? "changes" : "never changes", inputs));
    if (facts.disturbances.empty()) {
        text += under(joined(facts.calls) + (facts.calls.size() == 1 ? " leaves" : " leave") +
                      " the state alone");
    }
    return text;
}

}  // namespace

std::string audit_text(const AuditReport& report) {
    const std::string& file = report.recording;
    std::string text = heading(file.empty() ? report.head.session.simulation : file);
    text += row("session", session_line(report.head.session, report.ticks));
    text += row("digest", to_string(report.session_digest));
    text += row("work", fmt::format("{} in {}", counted(report.work, "tick"),
                                    counted(report.probes, "probe")));
    if (report.reasons.empty() || report.verdict == Verdict::inconclusive) {
        text += "\n" + snapshot_text(report) + coverage_text(report) + hash_text(report) +
                liveness_text(report);
    }
    for (const std::string& note : report.notes) {
        text += row("note", note);
    }
    if (!report.blind_spots.empty()) {
        text += "\n";
    }
    for (const harness::BlindSpot& spot : report.blind_spots) {
        text += row(to_string(spot.measurement), to_string(spot));
    }
    for (const std::string& reason : report.reasons) {
        text += row("reason", reason);
    }
    return text + "\n";
}

std::string audit_verdict(const AuditReport& report) {
    switch (report.verdict) {
        case Verdict::identical:
            return "clean";
        case Verdict::diverged:
            return "blind";
        default:
            return std::string(to_string(report.verdict));
    }
}

}  // namespace isotick::program
