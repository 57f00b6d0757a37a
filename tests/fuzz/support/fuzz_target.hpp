#pragma once
// What every fuzz target is: a function that takes any bytes, and what it may demand of them.

#include <cstddef>
#include <span>
#include <string_view>

namespace isotick::fuzz {

using Input = std::span<const std::byte>;

/// The target: each source file in targets/ defines it. Whatever the input is, it must return.
void run(Input input);

/// Ends the process with `broken`, the promise that was broken, unless it was kept: a finding.
void require(bool kept, std::string_view broken);

[[nodiscard]] inline std::string_view text_of(Input input) {
    return {reinterpret_cast<const char*>(input.data()), input.size()};
}

/// The first byte of `input`, which then begins with the next; 0 where there is none.
[[nodiscard]] inline unsigned take_byte(Input& input) {
    if (input.empty()) {
        return 0;
    }
    const auto byte = std::to_integer<unsigned>(input.front());
    input = input.subspan(1);
    return byte;
}

/// Two bytes, the lower one first.
[[nodiscard]] inline unsigned take_short(Input& input) {
    const unsigned low = take_byte(input);
    return low | take_byte(input) << 8U;
}

}  // namespace isotick::fuzz
