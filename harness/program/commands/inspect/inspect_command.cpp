#include "../../command/command.hpp"
#include "../../json/recording_json.hpp"
#include "../../options/option_groups.hpp"
#include "../../options/options.hpp"
#include "../../output/output_file.hpp"
#include "../../output/text.hpp"
#include "inspect_ticks.hpp"

#include <isotick/replay/detail/survey.hpp>

#include <fmt/format.h>

namespace isotick::program {
namespace {

using replay::RecordingHead;
using replay::Survey;

constexpr std::uint64_t kMinute = 60;

std::string every(std::uint32_t stride) {
    return stride == 1 ? "every tick" : fmt::format("every {} ticks", stride);
}

// Of simulated time, rounded down to whole seconds; where ticks last equally long.
std::string length_text(const Survey& survey) {
    if (survey.own_dts != 0) {
        return counted(survey.ticks, "tick");
    }
    const auto nanoseconds = survey.head.session.rate.time_of(survey.ticks);
    const auto seconds = static_cast<std::uint64_t>(nanoseconds / core::kNanosecondsPerSecond);
    const std::string minutes = seconds < kMinute ? "" : fmt::format("{} min ", seconds / kMinute);
    return fmt::format("{}, {}{} s", counted(survey.ticks, "tick"), minutes, seconds % kMinute);
}

std::string dts_text(const Survey& survey) {
    if (survey.own_dts == 0) {
        return "";
    }
    return fmt::format("{} of {} have one of their own; otherwise {} s", grouped(survey.own_dts),
                       counted(survey.ticks, "tick"),
                       to_string(core::TickDt(survey.head.session.rate)));
}

std::string size_text(const Survey& survey) {
    std::string text = counted(survey.bytes, "byte");
    if (survey.damages.empty() && survey.ticks > 0) {
        text += fmt::format(" in {}, {:.2f} per tick", counted(survey.chunks, "chunk"),
                            static_cast<double>(survey.bytes) / static_cast<double>(survey.ticks));
    }
    return text;
}

std::string inspected_ranges(const Survey& survey) {
    std::string text;
    for (const replay::TickRange& range : survey.surviving) {
        text += fmt::format("{}{} to {}", text.empty() ? "" : ", ", range.first.value,
                            range.end.value - 1);
    }
    return text.empty() ? "no ticks" : "ticks " + text;
}

std::string head_rows(const RecordingHead& head) {
    std::string text = row("simulation", head.session.simulation);
    text += row("tick rate", to_string(head.session.rate));
    text += row("players", std::to_string(head.session.players));
    text += row("seed", std::to_string(head.session.seed));
    text += row("config", to_string(head.session.config));
    text += row("hashes", fmt::format("{}{}, {}", head.hash_algorithm, nans_text(head.nan_policy),
                                      every(head.hash_every)));
    const bool stored = head.part_names.size() > 1;
    text += row("parts", joined(head.part_names) +
                             (stored ? fmt::format("; {}", every(head.parts_every)) : ""));
    for (const auto& [key, value] : head.notes.entries()) {
        text += row("note", key + "=" + value);
    }
    return text;
}

std::string tail_text(const Survey& survey) {
    if (survey.has_tail) {
        return "index and end mark intact";
    }
    if (survey.tail_damage) {
        return fmt::format("damaged at byte {}: {}; no tick is lost", survey.tail_damage->offset,
                           survey.tail_damage->reason);
    }
    return "none";
}

std::string inspect_text(const std::string& path, const Survey& survey) {
    std::string text = heading(path) + head_rows(survey.head);
    const bool intact = survey.damages.empty();
    text += row(intact ? "length" : "intact", (intact ? "" : "the first ") + length_text(survey));
    text += row("dt", dts_text(survey));
    text += row("size", size_text(survey));
    text += row("digest", to_string(survey.session_digest));
    text += row("hash digest", to_string(survey.hash_digest));
    text += row("tail", tail_text(survey));
    text += row("note", survey.is_unfinished() ? std::string(replay::unfinished_text()) : "");
    for (const replay::Damage& damage : survey.damages) {
        text += row("damage", fmt::format("at byte {}: {}", damage.offset, damage.reason));
    }
    if (!survey.damages.empty()) {
        text += row("surviving", inspected_ranges(survey));
    }
    return text;
}

int run_inspect(const InspectOptions& options, Console& console) {
    if (options.ticks) {
        return show_ticks(options, console);
    }
    const auto survey = replay::survey(options.recording);
    if (!survey) {
        return fail_with(survey.error(), console);
    }
    remark_unfinished(options.recording, console);
    console.print(options.json ? inspect_json(options.recording, *survey)
                               : inspect_text(options.recording, *survey));
    return survey->damages.empty() ? 0 : 3;
}

Action declare_inspect(OptionList& list, CommandFrame& frame) {
    auto options = common_options<InspectOptions>(list, frame);
    list.argument("recording", options->recording, "The recording");
    list.required("recording");
    list.text("--ticks", options->ticks, "RANGE",
              "List inputs and hashes: 100..160 (inclusive), 100.., ..160 or 100");
    return [options, &frame] { return run_inspect(*options, frame.console); };
}

}  // namespace

extern const Command kInspectCommand;
const Command kInspectCommand{"inspect", "Say what a recording holds and whether it is intact",
                              "Example:\n"
                              "  isotick inspect s.isotick\n"
                              "  isotick inspect s.isotick --ticks 100..160",
                              declare_inspect};

}  // namespace isotick::program
