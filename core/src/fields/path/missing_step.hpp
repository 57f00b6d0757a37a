#pragma once
// Why a path leads nowhere: how far it came, and what there is instead.

#include "field_path.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace isotick::core {

/// Remembers the place at which most of a pattern was behind; of several the first, unless there is
/// nothing in it. `matched` is how many bytes of the pattern were behind.
class MissingStep {
  public:
    /// The walk came to a place beyond which the pattern goes on.
    void arrive(std::size_t matched, const FieldPath& path);
    /// It has so many elements.
    void elements(std::size_t matched, std::uint64_t count);
    /// It leads on by this step, which is not the pattern's.
    void other_step(std::size_t matched, const std::string& step);
    /// It holds nothing but this value.
    void value(std::size_t matched, std::string text);

    /// `there is no 'velocty' in units[17], which has id, velocity, mood`.
    [[nodiscard]] std::string text(std::string_view pattern) const;

  private:
    [[nodiscard]] bool is_here(std::size_t matched) const { return open_ && matched == matched_; }
    [[nodiscard]] std::string contents() const;

    std::size_t matched_ = 0;
    bool open_ = false;  // the walk is at the place
    std::string place_;
    std::vector<std::string> steps_;  // that lead on from it, the first few
    std::uint64_t steps_total_ = 0;
    std::optional<std::uint64_t> elements_;
    std::string value_;
};

}  // namespace isotick::core
