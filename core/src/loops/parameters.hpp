#pragma once
// The options of loops as words: the one table behind Loop::make, parse_loop and to_string.

#include <isotick/core/detail/loop_options.hpp>
#include <isotick/core/detail/word.hpp>

#include <span>

namespace isotick::core {

using LoopWord = Word<LoopOptions>;

/// All options, in the order in which they are printed.
[[nodiscard]] std::span<const LoopWord> loop_words();

}  // namespace isotick::core
