#pragma once
// What a simulation says about one player's inputs, and the inputs it takes at their word.

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace isotick::harness {

/// The two directions of a simulation's description for one player (or the world). Both give none
/// for what it refuses, and depend on nothing but their arguments.
struct InputWords {
    std::function<std::optional<std::string>(std::span<const std::uint8_t>)> describe;
    std::function<std::optional<std::vector<std::uint8_t>>(std::string_view)> compose;
};

/// An input and its description, each of which leads to the other.
struct TypedInput {
    std::string text;  ///< well-formed JSON without whitespace between its parts
    std::vector<std::uint8_t> bytes;
    friend bool operator==(const TypedInput&, const TypedInput&) = default;
};

/// The input that `json`, written by anyone, describes; none where it is refused, or where the
/// simulation describes the input it made in words that do not lead back to it.
[[nodiscard]] std::optional<TypedInput> typed_input(const InputWords& words, std::string_view json);

}  // namespace isotick::harness
