// `isotick audit`.

#include "../../src/system/files.hpp"
#include "../command/command.hpp"
#include "../json/json_pieces.hpp"
#include "../options/options.hpp"
#include "../output/text.hpp"
#include "record.hpp"

#include <isotick/core/detail/try.hpp>
#include <isotick/harness/audit.hpp>
#include <isotick/replay/reader.hpp>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace isotick::program {

// Audits in words and for machines.

/// All sections and the blind spots, without the line of the verdict.
[[nodiscard]] std::string audit_text(const harness::AuditReport& report);

/// The word for the verdict: `clean`, `blind` …
[[nodiscard]] std::string audit_verdict(const harness::AuditReport& report);

/// What stands behind that word: how many blind spots, or how much of the session was probed and
/// what was not.
[[nodiscard]] std::string audit_summary(const harness::AuditReport& report);

/// One JSON document.
[[nodiscard]] std::string audit_json(const harness::AuditReport& report);

namespace {

Json to_json(const harness::StateDifference& difference) {
    Json fields = Json::array();
    for (const harness::DifferingField& field : difference.fields) {
        fields.push_back(field.text);
    }
    return {{"ticks_done", difference.ticks_done},
            {"parts", difference.parts},
            {"fields", std::move(fields)},
            {"fields_total", difference.fields_total}};
}

const char* audit_word(harness::RestoreOutcome outcome) {
    switch (outcome) {
        case harness::RestoreOutcome::matched:
            return "matched";
        case harness::RestoreOutcome::differs:
            return "differs";
        case harness::RestoreOutcome::refused:
            return "refused";
        case harness::RestoreOutcome::broke:
            return "broke";
        case harness::RestoreOutcome::unsettled:
            return "unsettled";
    }
    return "";
}

const char* audit_word(harness::RestoreWay way) {
    switch (way) {
        case harness::RestoreWay::straight:
            return "straight";
        case harness::RestoreWay::set_back:
            return "set back";
        case harness::RestoreWay::later:
            return "later";
        case harness::RestoreWay::replaced:
            return "replaced";
        case harness::RestoreWay::fresh:
            return "fresh";
    }
    return "";
}

Json change_json(const harness::LastChange& change) {
    return change.code.empty() ? Json(nullptr)
                               : Json{{"tick", change.tick}, {"code", code_json(change.code)}};
}

Json snapshot_json(const harness::AuditReport& report) {
    Json restores = Json::array();
    for (const harness::RestoreFacts& restore : report.restores) {
        Json one{{"ticks_done", restore.at},
                 {"run_on", restore.run_on},
                 {"snapshot_bytes", restore.snapshot},
                 {"outcome", audit_word(restore.outcome)}};
        if (restore.outcome != harness::RestoreOutcome::matched) {
            one["way"] = audit_word(restore.way);
        }
        if (!restore.difference.parts.empty()) {
            one["difference"] = to_json(restore.difference);
        }
        if (!restore.reason.empty()) {
            one["reason"] = restore.reason;
        }
        restores.push_back(std::move(one));
    }
    return {{"unavailable", report.snapshot_unavailable},
            {"restores", std::move(restores)},
            {"unrestored_change", change_json(report.unrestored_change)}};
}

Json range_json(const harness::UnseenRange& unseen) {
    return {{"member", unseen.piece.member},
            {"offset", unseen.piece.range.offset},
            {"size", unseen.piece.range.size},
            {"padding", unseen.piece.padding},
            {"kind", to_string(unseen.kind)},
            {"cures", unseen.cures},
            {"last_change", change_json(unseen.last_change)}};
}

// The types that the simulation shows, or the variables of its library.
Json types_json(const harness::AuditReport& report, bool globals) {
    Json types = Json::array();
    for (const harness::AuditedType& type : report.types) {
        if (type.memory.offsets.empty() == globals) {
            continue;
        }
        Json unseen = Json::array();
        for (const harness::UnseenRange& range : type.ranges) {
            unseen.push_back(range_json(range));
        }
        types.push_back({{"type", type.memory.type},
                         {"size", type.memory.size},
                         {"objects", type.memory.objects},
                         {"made_up", type.memory.made_up},
                         {"unseen_bytes", type.unseen_bytes},
                         {"unseen", std::move(unseen)}});
    }
    return types;
}

Json globals_json(const harness::AuditReport& report) {
    const harness::GlobalFacts& globals = report.globals;
    return {{"unavailable", globals.unavailable},
            {"values", globals.variables},
            {"constant", globals.constant},
            {"unknown", globals.unknown},
            {"variables", types_json(report, true)}};
}

Json hash_json(const harness::AuditReport& report) {
    Json paths = Json::array();
    for (const harness::FlippedClass& one : report.flips.classes) {
        paths.push_back({{"path", one.path}, {"tried", one.tried}, {"missed", one.unseen}});
    }
    Json breaks = Json::array();
    for (const harness::FlipBreak& one : report.flips.breaks) {
        breaks.push_back({{"bit", one.what}, {"end", one.how}});
    }
    return {{"unavailable", report.flips_unavailable},
            {"paths", std::move(paths)},
            {"snapshot_bytes_tried", report.flips.snapshot_tried},
            {"snapshot_bytes_taken", report.flips.snapshot_taken},
            {"snapshot_bytes_idle", report.flips.snapshot_idle},
            {"snapshot_missed", report.flips.snapshot_unseen},
            {"broken", report.flips.broken},
            {"breaks", std::move(breaks)},
            {"pairs_compared", report.liveness.fields.compared},
            {"fields_missed", report.liveness.fields.unhashed}};
}

Json liveness_json(const harness::AuditReport& report) {
    const harness::LivenessFacts& facts = report.liveness;
    Json disturbances = Json::array();
    for (const harness::Disturbance& one : facts.disturbances) {
        disturbances.push_back({{"call", one.call}, {"difference", to_json(one.difference)}});
    }
    Json leaks = Json::array();
    for (const harness::FloatLeak& leak : report.float_leaks) {
        leaks.push_back(
            {{"call", leak.call}, {"ticks_done", leak.ticks_done}, {"leaves", leak.how}});
    }
    return {{"ticks", facts.ticks},
            {"hash_changed", facts.hash_changed},
            {"inputs_present", facts.inputs_present},
            {"inputs_mattered", facts.inputs_mattered},
            {"reproduced", facts.reproduced},
            {"parts_of_no_state", facts.parts_of_no_state},
            {"twins_differ", facts.twins_differ},
            {"calls", facts.calls},
            {"disturbances", std::move(disturbances)},
            {"floating_point", std::move(leaks)}};
}

}  // namespace

std::string audit_json(const harness::AuditReport& report) {
    Json json{
        {"verdict", audit_verdict(report)},
        {"reasons", report.reasons},
        {"notes", report.notes},
        {"recording", report.recording},
        {"simulation", report.head.session.simulation},
        {"session_digest", to_string(report.session_digest)},
        {"ticks", report.ticks},
        {"probes", report.probes},
        {"work_ticks", report.work},
        {"probed_ticks", report.probed},
        {"blind_spots", blind_spots_json(report.blind_spots)},
        {"snapshot", snapshot_json(report)},
        {"coverage",
         {{"unavailable", report.coverage_unavailable}, {"types", types_json(report, false)}}},
        {"globals", globals_json(report)},
        {"hash", hash_json(report)},
        {"liveness", liveness_json(report)}};
    return document(std::move(json));
}

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
    return joined(values, ", ", [](std::uint64_t value) { return std::to_string(value); });
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
    return row("snapshot", fmt::format("{} of {} restored states behave like the original for {}",
                                       matched, report.restores.size(), counted(longest, "tick"))) +
           under("restored after ticks " + numbers(ticks));
}

const char* words_for(const UnseenRange& unseen) {
    if (unseen.cures && !is_blamed(unseen.kind)) {  // whatever changing it did
        return "load does not restore it: copying it fixes a restored run";
    }
    switch (unseen.kind) {
        case RangeKind::unused:
            return unseen.piece.padding  ? "padding"
                   : unseen.piece.opaque ? "no tick differs with a new instance's in its place"
                                         : "none of the ticks tried depends on it";
        case RangeKind::seen:
            return "the hash sees it anyway";
        case RangeKind::constant:
            return "affects later ticks, but never changes: made from the session's setup";
        case RangeKind::derived:
            return "a cache: it affects later ticks, but load recomputes it";
        case RangeKind::harmless:
            return "affects later ticks, but after a load no tick depends on what it was";
        case RangeKind::resettable:
            return "affects later ticks if changed, but not if set back to its initial value";
        case RangeKind::forgotten:
            return "forgotten: affects later ticks, and load does not restore it";
        case RangeKind::unclear:
            return "affects later ticks: state or a cache (only save could tell)";
        case RangeKind::doubtful:
            return "in doubt: changing it affects later ticks, but two members may share it";
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
    return under(fmt::format(
        "    {:<{}} {} at {}: {}{}", name, kNameWidth, counted(range.size, "byte"), range.offset,
        words_for(unseen),
        is_blamed(unseen.kind) && unseen.cures ? "; copying it fixes a restored run" : ""));
}

// Whether one must know of it, rather than may.
bool matters(const UnseenRange& unseen) {
    return unseen.kind != RangeKind::unused && unseen.kind != RangeKind::pointer &&
           unseen.kind != RangeKind::untried;
}

// Some pieces that one line stands for.
struct Rest {
    std::size_t pieces = 0;
    std::uint64_t bytes = 0;
    std::vector<std::string> names;

    void add(const UnseenRange& unseen) {
        ++pieces;
        bytes += unseen.piece.range.size;
        if (!unseen.piece.member.empty()) {
            names.push_back(unseen.piece.member);
        }
    }
    // Of some of them.
    [[nodiscard]] std::string names_text() const {
        constexpr std::size_t kMostNamed = 4;
        const std::vector<std::string> some(
            names.begin(),
            names.begin() + static_cast<std::ptrdiff_t>(std::min(kMostNamed, names.size())));
        return some.empty() ? ""
                            : under(fmt::format("      {}{}", joined(some),
                                                some.size() < pieces ? " …" : ""));
    }
    [[nodiscard]] std::string text(const char* what) const {
        return pieces == 0 ? ""
                           : under(fmt::format("    {}, {}: {}", counted(pieces, "piece"),
                                               counted(bytes, "byte"), what));
    }
};

// All that matter, and of the others as many as a person reads; of what cannot be looked into, how
// much there is.
std::string ranges_text(const std::vector<UnseenRange>& ranges) {
    constexpr std::size_t kMostOthers = 16;
    std::string text;
    std::size_t others = 0;
    Rest unused;
    Rest closed;
    Rest untried;
    for (const UnseenRange& unseen : ranges) {
        if (unseen.kind == RangeKind::pointer) {
            closed.add(unseen);
        } else if (unseen.kind == RangeKind::untried) {
            untried.add(unseen);
        } else if (matters(unseen) || ++others <= kMostOthers) {
            text += range_text(unseen);
        } else {
            unused.add(unseen);
        }
    }
    return text + unused.text("none of the ticks tried depends on them either") +
           closed.text("pointers, containers or sizes, which cannot be told by changing them") +
           closed.names_text() + untried.text("not looked into");
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

bool is_global(const AuditedType& type) {
    return !type.memory.offsets.empty();
}

std::uint64_t untried_bytes(const AuditReport& report) {
    std::uint64_t bytes = 0;
    for (const AuditedType& type : report.types) {
        for (const UnseenRange& unseen : type.ranges) {
            bytes += unseen.kind == RangeKind::untried && !unseen.piece.global
                         ? unseen.piece.range.size
                         : 0;
        }
    }
    return bytes;
}

// Of which the audit cannot tell whether a tick depends on them.
std::size_t closed_members(const AuditReport& report) {
    std::size_t members = 0;
    for (const AuditedType& type : report.types) {
        for (const UnseenRange& unseen : type.ranges) {
            members += unseen.kind == RangeKind::pointer && !unseen.piece.member.empty() ? 1U : 0U;
        }
    }
    return members;
}

// Of a plug-in's globals and statics, those that change in the session.
std::string globals_text(const AuditReport& report) {
    const harness::GlobalFacts& globals = report.globals;
    if (!globals.unavailable.empty()) {
        return row("globals", "not looked into: " + globals.unavailable);
    }
    if (globals.variables == 0 && globals.unknown == 0) {
        return row("globals", "none that can be written");
    }
    std::vector<UnseenRange> changing;
    for (const AuditedType& type : report.types) {
        if (is_global(type)) {
            changing.insert(changing.end(), type.ranges.begin(), type.ranges.end());
        }
    }
    return row("globals",
               fmt::format("{} of the plug-in, {} of which {} in the session{}",
                           counted(globals.variables, "global and static value"), changing.size(),
                           changing.size() == 1 ? "changes" : "change",
                           globals.unknown == 0 ? ""
                                                : fmt::format("; {} more without debug information",
                                                              globals.unknown))) +
           ranges_text(changing);
}

std::string coverage_text(const AuditReport& report) {
    if (!report.coverage_unavailable.empty()) {
        return row("coverage", "not available: " + report.coverage_unavailable);
    }
    const auto is_whole = [](const AuditedType& type) {
        return !is_global(type) && type.unseen_bytes == 0;
    };
    const auto whole = std::count_if(report.types.begin(), report.types.end(), is_whole);
    const auto shown = std::count_if(report.types.begin(), report.types.end(),
                                     [](const auto& type) { return !is_global(type); });
    const std::uint64_t untried = untried_bytes(report);
    std::string text =
        row("coverage",
            fmt::format(
                "{} of {} seen in full{}", whole, counted(static_cast<std::size_t>(shown), "type"),
                untried == 0 ? ""
                             : "; " + counted(untried, "byte") + " of the others not looked into"));
    for (const AuditedType& type : report.types) {
        if (is_whole(type) || is_global(type)) {
            continue;
        }
        text += under("  " + type_text(type));
        if (type.memory.made_up != 0) {
            text +=
                under(fmt::format("    {} from serialize, of bytes that the audit cannot locate",
                                  counted(type.memory.made_up, "value")));
        }
        text += ranges_text(type.ranges);
    }
    return text;
}

std::string seen(std::uint64_t missed, std::uint64_t of) {
    return missed == 0 ? "all seen" : fmt::format("{} of {} missed", missed, of);
}

std::string memory_flips_text(const harness::FlipFacts& flips) {
    std::uint64_t values = 0;
    std::uint64_t unseen = 0;
    for (const harness::FlippedClass& one : flips.classes) {
        values += one.tried;
        unseen += one.unseen;
    }
    return fmt::format("{} changed in memory, {} of each at most: {}",
                       counted(flips.classes.size(), "path"), 4, seen(unseen, values));
}

std::string snapshot_flips_text(const harness::FlipFacts& flips) {
    std::string text = fmt::format("{} of a snapshot changed, {} of which load took over",
                                   counted(flips.snapshot_tried, "byte"), flips.snapshot_taken);
    if (flips.snapshot_taken != 0) {
        text += ": " + seen(flips.snapshot_unseen.size(), flips.snapshot_taken);
    }
    if (flips.snapshot_idle != 0) {
        text += fmt::format(" but {}, on which nothing depends", flips.snapshot_idle);
    }
    return text;
}

std::string fields_text(const harness::FieldFacts& fields) {
    return counted(fields.compared, "pair") + " of neighboring states: " +
           (fields.unhashed.empty() ? "what differs in fields differs in hashes"
                                    : "fields differ whose hashes do not");
}

std::string hash_text(const AuditReport& report) {
    const harness::FlipFacts& flips = report.flips;
    std::vector<std::string> lines;
    if (!report.flips_unavailable.empty()) {
        lines.push_back("not available: " + report.flips_unavailable);
    } else if (flips.classes.empty() && flips.snapshot_tried == 0) {
        lines.emplace_back("not measured: no single value could be changed");
    }
    if (!flips.classes.empty()) {
        lines.push_back(memory_flips_text(flips));
    }
    if (flips.snapshot_tried != 0) {
        lines.push_back(snapshot_flips_text(flips));
    }
    if (flips.broken != 0) {
        lines.push_back(counted(flips.broken, "bit") + " broke the simulation: see the notes");
    }
    if (report.liveness.fields.compared != 0) {
        lines.push_back(fields_text(report.liveness.fields));
    }
    std::string text;
    for (const std::string& line : lines) {
        text += text.empty() ? row("hash", line) : under(line);
    }
    return text;
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
        text += "\n" + snapshot_text(report) + coverage_text(report) + globals_text(report) +
                hash_text(report) + liveness_text(report);
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

std::string audit_summary(const AuditReport& report) {
    if (!report.blind_spots.empty()) {
        return counted(report.blind_spots.size(), "blind spot");
    }
    if (report.verdict != Verdict::identical) {
        return "";
    }
    std::vector<std::string> left_out;
    for (const auto& [name, unavailable] : {std::pair("snapshot", &report.snapshot_unavailable),
                                            std::pair("coverage", &report.coverage_unavailable),
                                            std::pair("globals", &report.globals.unavailable),
                                            std::pair("hash", &report.flips_unavailable)}) {
        if (!unavailable->empty()) {
            left_out.emplace_back(name);
        }
    }
    if (report.globals.unknown != 0 && report.globals.unavailable.empty()) {
        left_out.emplace_back("some globals");
    }
    if (const std::size_t closed = closed_members(report); closed != 0) {
        left_out.push_back(counted(closed, "member") + " that cannot be told");
    }
    const double share = 100.0 * static_cast<double>(report.probed) /
                         static_cast<double>(std::max<std::uint64_t>(report.ticks, 1));
    return fmt::format("{} of {} probed ({:.1f}%){}", grouped(report.probed),
                       counted(report.ticks, "tick"), share,
                       left_out.empty() ? "" : ", without " + joined(left_out));
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

namespace {

/// Of a recording, or of a session of its own, which is then recorded as these options say.
struct AuditCommandOptions : RecordOptions {
    std::string recording;
};

using core::ErrorCode;
using core::Result;
using harness::AuditReport;
using harness::Verdict;

Result<void> record_for_audit(const RecordOptions& options, const Prepared& prepared,
                              Console& console) {
    const auto simulation = harness::SimulationName::chosen(options.simulation);
    ISOTICK_TRY_ASSIGN(const auto facts, facts_from_worker(simulation, prepared.worker));
    ISOTICK_TRY_ASSIGN(auto plan, plan_record(options, prepared, facts));
    plan.appearance = replay::Appearance::filled_in;
    ISOTICK_TRY_ASSIGN(const auto result, record_in_worker(simulation, plan, prepared.worker));
    if (!result.error) {
        return {};  // what it printed it will print again
    }
    if (!result.output.empty()) {
        console.printed("the simulation", result.output);
    }
    return tl::unexpected(*result.error);
}

Result<AuditReport> audit_recording(const std::string& recording,
                                    const harness::SimulationName& simulation,
                                    const Prepared& prepared) {
    harness::AuditOptions options;
    options.environment = prepared.environment;
    return audit(recording, options,
                 harness::probes_in_worker_processes(simulation, prepared.worker));
}

Result<AuditReport> audit_file(const AuditCommandOptions& options, const Prepared& prepared) {
    ISOTICK_TRY_ASSIGN(const auto reader, replay::Reader::open(options.recording));
    const auto simulation = simulation_of(reader.head(), options.simulation);
    return audit_recording(options.recording, simulation, prepared)
        .map_error([&](const core::Error& error) { return about(options.recording, error); });
}

Result<AuditReport> audit_own_session(const AuditCommandOptions& options, const Prepared& prepared,
                                      Console& console) {
    if (options.simulation.empty()) {
        return core::fail(
            ErrorCode::usage,
            "name a recording, or a simulation with --sim (see isotick audit --help)");
    }
    ISOTICK_TRY_ASSIGN(const auto file, harness::SharedFile::make());
    RecordOptions record = options;
    record.output = file.path();
    ISOTICK_TRY(record_for_audit(record, prepared, console));
    const auto simulation = harness::SimulationName::chosen(options.simulation);
    return audit_recording(record.output, simulation, prepared).map([](AuditReport report) {
        report.recording.clear();
        return report;
    });
}

int run_audit(const AuditCommandOptions& options, Console& console) {
    const auto prepared = prepare(options, "audit", console);
    if (!prepared) {
        return fail_with(prepared.error(), console);
    }
    const auto report = options.recording.empty() ? audit_own_session(options, *prepared, console)
                                                  : audit_file(options, *prepared);
    if (!report) {
        return fail_with(report.error(), console);
    }
    if (!report->output.empty()) {
        console.printed("the simulation", report->output);
    }
    if (options.json) {
        console.print(audit_json(*report));
    } else {
        const std::string summary = audit_summary(*report);
        console.print(audit_text(*report));
        console.print(console.headline(audit_verdict(*report), report->verdict) +
                      (summary.empty() ? "" : "  " + summary) + "\n");
    }
    return exit_code(report->verdict);
}

Action declare_audit(OptionList& list, CommandFrame& frame) {
    auto options = common_options<AuditCommandOptions>(list, frame);
    options->ticks = 600;
    options->inputs.clear();
    options->simulation = frame.only_simulation();
    list.argument("recording", options->recording,
                  "The recording whose session is run; by default one is recorded first");
    add_simulation(list, *options, "A built-in, a plug-in's path, or exec: and a command");
    add_session(list, *options);
    list.text("--inputs", options->inputs, "SOURCE",
              "Where inputs come from: bot, random or none; without a bot, random");
    add_worker(list, options->worker, true);
    for (const char* of_session :
         {"--ticks", "--seed", "--config", "--players", "--rate", "--inputs"}) {
        list.excludes(of_session, {"recording"});
    }
    return [options, &frame] { return run_audit(*options, frame.console); };
}

}  // namespace

extern const Command kAuditCommand;
const Command kAuditCommand{"audit", "Measure what hash and snapshot see, and what they miss",
                            "Example:\n"
                            "  isotick audit --sim skirmish",
                            declare_audit};

}  // namespace isotick::program
