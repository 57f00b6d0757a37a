// `isotick inspect`.

#include "../../src/system/hex.hpp"
#include "../command/command.hpp"
#include "../json/recording_json.hpp"
#include "../options/options.hpp"
#include "../output/output_file.hpp"
#include "../output/text.hpp"

#include <isotick/core/detail/try.hpp>
#include <isotick/core/result.hpp>
#include <isotick/replay/detail/survey.hpp>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>

namespace isotick::program {

// The value of `--ticks`.

/// `10..20` with both ends, `10..`, `..20`, `..`, or `10` alone.
struct TickRangeText {
    std::optional<std::uint64_t> first;
    std::optional<std::uint64_t> last;

    [[nodiscard]] static core::Result<TickRangeText> parse(const std::string& text);

    /// The range within a recording; open ends are the recording's. Fails with `usage` where the
    /// recording does not go so far.
    [[nodiscard]] core::Result<replay::TickRange> within(const replay::TickRange& recording) const;
};

namespace {

using core::Result;

tl::unexpected<core::Error> refuse(const std::string& why) {
    return core::fail(core::ErrorCode::usage, "--ticks: " + why);
}

bool read_tick(std::string_view text, std::optional<std::uint64_t>& tick) {
    std::uint64_t value = 0;
    const char* const text_end = text.data() + text.size();
    const auto [end, error] = std::from_chars(text.data(), text_end, value);
    tick = value;
    return error == std::errc() && end == text_end;
}

}  // namespace

Result<TickRangeText> TickRangeText::parse(const std::string& text) {
    constexpr std::string_view kDots = "..";
    const std::string_view view = text;
    const std::size_t dots = view.find(kDots);
    TickRangeText range;
    bool read = true;
    if (dots == std::string_view::npos) {
        read = read_tick(view, range.first);
        range.last = range.first;
    } else {
        const std::string_view first = view.substr(0, dots);
        const std::string_view last = view.substr(dots + kDots.size());
        read = (first.empty() || read_tick(first, range.first)) &&
               (last.empty() || read_tick(last, range.last));
    }
    if (!read) {
        return refuse("'" + text + "' is not a range of ticks; write 10..20, 10.., ..20 or 10");
    }
    if (range.first && range.last && *range.first > *range.last) {
        return refuse(fmt::format("'{}' ends before it begins; write {}..{}", text, *range.last,
                                  *range.first));
    }
    return range;
}

Result<replay::TickRange> TickRangeText::within(const replay::TickRange& recording) const {
    const std::uint64_t begin = recording.first.value;
    const std::uint64_t end = recording.end.value;
    if (begin == end) {
        if (!first && !last) {
            return recording;
        }
        return refuse("no tick of the recording can be read");
    }
    const std::uint64_t wanted_first = first.value_or(begin);
    const std::uint64_t wanted_last = last.value_or(end - 1);
    if (wanted_first < begin || wanted_last >= end || wanted_first >= end || wanted_last < begin) {
        return refuse(fmt::format("the recording has ticks {} to {}", begin, end - 1));
    }
    return replay::TickRange{{wanted_first}, {wanted_last + 1}};
}

// What inspect shows of a recording besides its summary.

struct InspectOptions : CommonOptions {
    std::string recording;
    std::optional<std::string> ticks;  ///< a range of ticks to list
};

/// `--ticks`, which must be given: one row for each tick of a range. Prints as it reads, so that
/// memory does not grow with the recording, and returns the exit code.
[[nodiscard]] int show_ticks(const InspectOptions& options, Console& console);

namespace {

using core::Result;
using replay::RecordingHead;
using replay::SurvivingChunks;
using replay::TickChunk;
using replay::TickRange;

// Ticks of the range that no intact chunk holds, and why.
struct Gap {
    TickRange ticks;
    std::vector<replay::Damage> damages;
};

std::string reasons(const Gap& gap) {
    std::string text;
    for (const replay::Damage& damage : gap.damages) {
        text +=
            fmt::format("{}at byte {}: {}", text.empty() ? "" : "; ", damage.offset, damage.reason);
    }
    return text.empty() ? "the file has no chunk with them" : text;
}

// What of a chunk is within the range, counted from the chunk's first tick.
struct Rows {
    std::uint32_t first = 0;
    std::uint32_t end = 0;
};

// Aligned columns. Each is as wide as it had to be so far.
class TicksText {
  public:
    TicksText(const RecordingHead& head, const TickRange& range)
        : head_(head), most_ticks_(std::to_string(range.end.value)) {
        for (std::uint32_t player = 0; player < head.session.players; ++player) {
            names_.push_back(fmt::format("player {}", player));
        }
        names_.emplace_back("world");
        for (const std::string& name : names_) {
            widths_.push_back(name.size());
        }
    }

    [[nodiscard]] std::string begin(const std::string& /*path*/) {
        std::string text = tick_cell("tick");
        for (std::size_t column = 0; column < names_.size(); ++column) {
            text += cell(column, names_[column]);
        }
        return text + (head_.stride().has_parts() ? "hash              parts\n" : "hash\n");
    }

    void prepare(const TickChunk& chunk, const Rows& rows) {
        for (std::uint32_t i = rows.first; i < rows.end; ++i) {
            const auto inputs = chunk.inputs(i);
            for (std::size_t column = 0; column < inputs.size(); ++column) {
                widths_[column] = std::max(widths_[column], input_text(inputs[column]).size());
            }
        }
    }

    [[nodiscard]] std::string row(const TickChunk& chunk, std::uint32_t i) {
        std::string text = tick_cell(std::to_string(chunk.first_tick().value + i));
        const auto inputs = chunk.inputs(i);
        for (std::size_t column = 0; column < inputs.size(); ++column) {
            text += cell(column, input_text(inputs[column]));
        }
        const auto state = chunk.state_hash(i);
        text += state ? to_string(*state) : "-";
        const auto parts = chunk.part_hashes(i);
        for (std::size_t n = 0; n < parts.size(); ++n) {
            text += fmt::format("{}{}={}", n == 0 ? "  " : " ", printable(head_.part_names[n]),
                                core::to_hex(parts[n].value));
        }
        if (const auto dt = chunk.dt(i)) {
            text += fmt::format("  dt={} s", to_string(*dt));
        }
        return text + "\n";
    }

    [[nodiscard]] static std::string gap(const Gap& gap) {
        return fmt::format("{} to {} are lost: {}\n", gap.ticks.first.value,
                           gap.ticks.end.value - 1, reasons(gap));
    }
    [[nodiscard]] static std::string end() { return ""; }

  private:
    static constexpr std::size_t kMostBytesShown = 32;

    static std::string input_text(const isotick_input& input) {
        if (input.present == 0) {
            return "-";
        }
        if (input.size == 0) {
            return "\"\"";
        }
        const std::size_t size = static_cast<std::size_t>(input.size);
        std::string text =
            harness::hex_bytes(std::span(input.data, std::min(size, kMostBytesShown)));
        return size > kMostBytesShown ? fmt::format("{}... ({})", text, counted(size, "byte"))
                                      : text;
    }

    [[nodiscard]] std::string tick_cell(const std::string& text) const {
        return fmt::format("{:<{}}  ", text, std::max<std::size_t>(4, most_ticks_.size()));
    }
    [[nodiscard]] std::string cell(std::size_t column, const std::string& text) const {
        return fmt::format("{:<{}}  ", text, widths_[column]);
    }

    const RecordingHead& head_;
    std::string most_ticks_;
    std::vector<std::string> names_;
    std::vector<std::size_t> widths_;
};

// One document; one line for each tick.
class TicksJson {
  public:
    TicksJson(const RecordingHead& head, const TickRange& range) : head_(head), range_(range) {}

    [[nodiscard]] std::string begin(const std::string& path) const {
        return ticks_json_head(path, head_, range_);
    }

    static void prepare(const TickChunk& /*chunk*/, const Rows& /*rows*/) {}

    [[nodiscard]] std::string row(const TickChunk& chunk, std::uint32_t i) {
        return std::exchange(separator_, ",\n") + tick_json(chunk, i);
    }

    [[nodiscard]] std::string gap(const Gap& gap) {
        lost_ += (lost_.empty() ? "" : ",") + gap_json(gap.ticks, reasons(gap));
        return "";
    }
    [[nodiscard]] std::string end() const { return "\n], \"lost\": [" + lost_ + "]}\n"; }

  private:
    const RecordingHead& head_;
    TickRange range_;
    std::string separator_ = "\n";
    std::string lost_;
};

// Goes through the chunks of a range and prints them.
template <class Form>
class TicksPrinter {
  public:
    TicksPrinter(SurvivingChunks& chunks, const TickRange& range, Console& console)
        : chunks_(chunks),
          range_(range),
          console_(console),
          form_(chunks.head(), range),
          next_(range.first.value) {}

    // Whether no tick of the range is lost.
    Result<bool> run(const std::string& path) {
        console_.print(form_.begin(path));
        std::vector<replay::Damage> damages;
        while (next_ < range_.end.value) {
            ISOTICK_TRY_ASSIGN(const auto chunk, chunks_.next());
            damages.insert(damages.end(), chunks_.damages().begin(), chunks_.damages().end());
            const std::uint64_t end = range_.end.value;
            const std::uint64_t start =
                chunk == nullptr ? end : std::min(chunk->first_tick().value, end);
            if (start > next_) {
                complete_ = false;
                console_.print(form_.gap({{{next_}, {start}}, std::move(damages)}));
                next_ = start;
            }
            damages.clear();
            if (chunk != nullptr) {
                ISOTICK_TRY(print(*chunk));
            }
        }
        console_.print(form_.end());
        return complete_;
    }

  private:
    Result<void> print(const TickChunk& chunk) {
        const std::uint64_t start = chunk.first_tick().value;
        const std::uint64_t end = std::min(start + chunk.ticks(), range_.end.value);
        if (end <= next_) {
            return {};
        }
        const Rows rows{static_cast<std::uint32_t>(next_ - start),
                        static_cast<std::uint32_t>(end - start)};
        form_.prepare(chunk, rows);
        for (std::uint32_t i = rows.first; i < rows.end; ++i) {
            console_.print(form_.row(chunk, i));
            ISOTICK_TRY(console_.drain());
        }
        next_ = end;
        return {};
    }

    SurvivingChunks& chunks_;
    TickRange range_;
    Console& console_;
    Form form_;
    std::uint64_t next_;
    bool complete_ = true;
};

Result<bool> print_range(const InspectOptions& options, const TickRangeText& text,
                         Console& console) {
    ISOTICK_TRY_ASSIGN(auto chunks, SurvivingChunks::open(options.recording));
    ISOTICK_TRY_ASSIGN(const auto range, chunks.extent().and_then([&](const TickRange& extent) {
        return text.within(extent);
    }));
    ISOTICK_TRY(chunks.seek(range.first));
    return options.json ? TicksPrinter<TicksJson>(chunks, range, console).run(options.recording)
                        : TicksPrinter<TicksText>(chunks, range, console).run(options.recording);
}

}  // namespace

int show_ticks(const InspectOptions& options, Console& console) {
    const auto text = TickRangeText::parse(*options.ticks);
    if (!text) {
        return fail_with(text.error(), console);
    }
    const auto complete = print_range(options, *text, console);
    if (!complete) {
        return fail_with(about(options.recording, complete.error()), console);
    }
    return *complete ? 0 : 3;
}

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
