#pragma once
// The two kinds of line in a recording as text: the head and a tick.

#include "text_lines.hpp"

#include <isotick/core/detail/json.hpp>
#include <isotick/core/detail/tick_dt.hpp>
#include <isotick/core/plugin.h>
#include <isotick/core/time.hpp>
#include <isotick/replay/detail/recording_head.hpp>

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace isotick::harness {

// The first line of a text.

/// What the line says; what it leaves out is none, or as usual.
struct TextHead {
    std::string simulation;
    std::optional<core::TickRate> rate;
    std::optional<std::uint32_t> players;
    std::uint64_t seed = 1;
    core::Settings config;
    std::optional<std::string> hash_algorithm;
    std::optional<std::string> nan_policy;
    std::uint32_t hash_every = 1;
    std::uint32_t parts_every = 60;
    std::vector<std::string> part_names{"state"};
    core::Settings notes;
    std::optional<TextHashes> initial;
};

/// Throws BadText.
[[nodiscard]] TextHead head_from(const core::JsonValue& line);

/// The head of the recording; what the text leaves out comes from `simulation`, which may be null.
/// Throws BadText where that is not enough, or a limit of recordings is not kept.
[[nodiscard]] replay::RecordingHead recording_head(const TextHead& text,
                                                   const isotick_simulation_table* simulation);

// The lines between the first and the last: one tick each, or the same inputs for several.

/// One line, understood.
struct TextTick {
    std::uint64_t repeat = 1;
    std::size_t repeat_offset = 0;
    std::optional<core::TickDt> dt;
    std::optional<core::StateHash> hash;
    std::size_t hash_offset = 0;
    std::optional<std::vector<core::PartHash>> parts;
    std::size_t parts_offset = 0;
};

/// Reads such lines. Keeps the inputs of the last.
class TextTickReader {
  public:
    /// `simulation` composes inputs that are described; it may be null.
    TextTickReader(std::uint32_t players, const isotick_simulation_table* simulation);

    /// Reads the line `text`, parsed as `line`, which must be of tick `next`. Throws BadText.
    [[nodiscard]] TextTick read(std::string_view text, const core::JsonValue& line,
                                std::uint64_t next);

    /// The inputs of that line: players in order, the world last. Valid until the next read.
    [[nodiscard]] std::span<const isotick_input> inputs() const { return inputs_; }

  private:
    void read_inputs(const core::JsonValue& line, std::string_view name, std::string_view text);
    [[nodiscard]] std::size_t column_of(const core::JsonMember& member) const;
    [[nodiscard]] std::vector<std::uint8_t> composed(const core::JsonMember& member,
                                                     std::size_t column, std::string_view text);
    void put(std::size_t column, std::vector<std::uint8_t> bytes);

    const isotick_simulation_table* simulation_;
    std::vector<std::vector<std::uint8_t>> bytes_;
    std::vector<isotick_input> inputs_;
};

/// The last line.
struct TextEnd {
    std::optional<std::uint64_t> ticks;
    bool finished = true;
    std::optional<TextHashes> final;
};

/// Whether a line is the last, rather than of a tick. Throws BadText where it is no object.
[[nodiscard]] bool is_end(const core::JsonValue& line);
/// Throws BadText.
[[nodiscard]] TextEnd end_from(const core::JsonValue& line);

}  // namespace isotick::harness
