#pragma once
// Values of an axis that has two settings, each with a number, of which one may be left out:
// `fill 165`, `order 7`, `fill 165 order 7`.

#include "../axis.hpp"

#include <tuple>

namespace isotick::harness {

struct TwoSettings {
    std::string_view first;
    std::uint32_t most_first;
    std::string_view second;
    std::uint32_t most_second;

    [[nodiscard]] core::Result<void> check(std::string_view value) const;
    [[nodiscard]] std::string draw(core::Pcg32& random) const;
    /// One of them alone.
    [[nodiscard]] std::vector<std::string> plainer(std::string_view value) const;
    /// 0: left out. Of a value that check has let pass.
    [[nodiscard]] std::tuple<std::uint64_t, std::uint64_t> values(std::string_view value) const;

  private:
    [[nodiscard]] std::string text(std::uint64_t first_value, std::uint64_t second_value) const;
};

}  // namespace isotick::harness
