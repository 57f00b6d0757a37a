#pragma once
// The first line of a text.

#include "lines/text_values.hpp"

#include <isotick/core/detail/text/json.hpp>
#include <isotick/core/plugin.h>
#include <isotick/core/time.hpp>
#include <isotick/replay/detail/recording_head.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace isotick::harness {

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

}  // namespace isotick::harness
