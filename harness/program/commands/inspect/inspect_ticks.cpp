#include "inspect_ticks.hpp"

#include "../../../src/text/lines/hex.hpp"
#include "../../json/recording_json.hpp"
#include "../../output/text.hpp"
#include "tick_range.hpp"

#include <isotick/core/detail/try.hpp>
#include <isotick/replay/detail/surviving_chunks.hpp>

#include <algorithm>
#include <span>
#include <utility>

#include <fmt/format.h>

namespace isotick::program {
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

}  // namespace isotick::program
