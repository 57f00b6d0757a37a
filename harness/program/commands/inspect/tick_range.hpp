#pragma once
// The value of `--ticks`.

#include <isotick/core/result.hpp>
#include <isotick/replay/detail/survey.hpp>

#include <cstdint>
#include <optional>
#include <string>

namespace isotick::program {

/// `10..20` with both ends, `10..`, `..20`, `..`, or `10` alone.
struct TickRangeText {
    std::optional<std::uint64_t> first;
    std::optional<std::uint64_t> last;

    [[nodiscard]] static core::Result<TickRangeText> parse(const std::string& text);

    /// The range within a recording; open ends are the recording's. Fails with `usage` where the
    /// recording does not go so far.
    [[nodiscard]] core::Result<replay::TickRange> within(const replay::TickRange& recording) const;
};

}  // namespace isotick::program
