#pragma once
// What the tests of loops share: loops from their text, frames in milliseconds.

#include <isotick/core/loops.hpp>

#include <cstdint>
#include <initializer_list>
#include <limits>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

namespace isotick::core {

inline constexpr std::int64_t kMillisecond = 1'000'000;
inline constexpr std::int64_t kLargest = std::numeric_limits<std::int64_t>::max();

using Counts = std::vector<std::uint64_t>;

inline LoopOptions options_of(std::string_view text) {
    auto options = parse_loop(text);
    if (!options) {
        ADD_FAILURE() << text << ": " << options.error().message;
    }
    return options.value_or(LoopOptions());
}

/// The loop of `text`, by default at 100 Hz: a tick lasts 10 ms.
inline Loop loop_of(std::string_view text, std::string_view rate = "100hz") {
    return Loop::make(TickRate::parse(rate).value(), options_of(text)).value();
}

inline HostFrame advance_ms(Loop& loop, std::int64_t frame_ms) {
    return loop.advance(FrameTime{frame_ms * kMillisecond});
}

/// The ticks in each of these frames, at 100 Hz.
inline Counts ticks_of(std::string_view text, std::initializer_list<int> frames_ms) {
    Loop loop = loop_of(text);
    Counts ticks;
    for (const int frame_ms : frames_ms) {
        ticks.push_back(advance_ms(loop, frame_ms).plan.ticks);
    }
    return ticks;
}

/// As ticks_of, of alpha.
inline std::vector<double> alphas_of(std::string_view text, std::initializer_list<int> frames_ms) {
    Loop loop = loop_of(text);
    std::vector<double> alphas;
    for (const int frame_ms : frames_ms) {
        alphas.push_back(advance_ms(loop, frame_ms).plan.alpha);
    }
    return alphas;
}

/// The message of the error that making the loop of `options` ends with.
inline std::string refusal(const LoopOptions& options, std::string_view rate = "100hz") {
    const auto made = Loop::make(TickRate::parse(rate).value(), options);
    return made ? "none" : made.error().message;
}

}  // namespace isotick::core
