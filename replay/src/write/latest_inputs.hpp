#pragma once
// The latest input of every player, to tell whether the next is another one.

#include "tick_batch.hpp"

#include <isotick/core/plugin.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

namespace isotick::replay {

/// One input per player and the world's last; at first all absent. Compares a few bytes with as few
/// instructions as there can be: it is what a live game pays for at every tick.
class LatestInputs {
  public:
    explicit LatestInputs(std::uint32_t players)
        : columns_(players + std::size_t{1}), bytes_(columns_.size()), size_(columns_.size()) {
        for (std::uint32_t column = 0; column < size_; ++column) {
            columns_[column] = {column < players ? column : ISOTICK_WORLD, 0, 0, nullptr};
        }
    }

    [[nodiscard]] std::size_t size() const { return size_; }

    /// The first column whose input, which may be malformed, is not the latest, from `column` on;
    /// size() where there is none.
    [[nodiscard]] std::uint32_t first_change(const isotick_input* inputs,
                                             std::uint32_t column) const {
        const isotick_input* known = columns_.data() + column;
        const isotick_input* const end = columns_.data() + size_;
        for (const isotick_input* input = inputs + column; known != end; ++known, ++input) {
            if (!is_same(*input, *known)) {
                return static_cast<std::uint32_t>(known - columns_.data());
            }
        }
        return static_cast<std::uint32_t>(size_);
    }

    /// Whether `input` is as long as the latest, of the same player and there: then it is
    /// well-formed.
    [[nodiscard]] bool is_alike(std::uint32_t column, const isotick_input& input) const {
        return std::memcmp(&input, &columns_[column], offsetof(isotick_input, data)) == 0 &&
               input.data != nullptr;
    }

    /// Makes a well-formed input the latest.
    void set(std::uint32_t column, const isotick_input& input) {
        std::vector<std::uint8_t>& bytes = bytes_[column];
        const auto size = static_cast<std::size_t>(input.size);
        if (bytes.size() < size) {
            bytes.resize(size);
        }
        copy_short(bytes.data(), input.data, size);
        columns_[column] = {input.player, input.present, input.size, bytes.data()};
    }

  private:
    static bool is_same(const isotick_input& input, const isotick_input& known) {
        if (std::memcmp(&input, &known, offsetof(isotick_input, data)) != 0) {
            return false;
        }
        if (input.size == sizeof(std::uint64_t) && input.data != nullptr) {  // most pads
            return std::memcmp(input.data, known.data, sizeof(std::uint64_t)) == 0;
        }
        return input.size == 0 ||
               (input.data != nullptr && std::memcmp(input.data, known.data, input.size) == 0);
    }

    std::vector<isotick_input> columns_;            // their data points into bytes_
    std::vector<std::vector<std::uint8_t>> bytes_;  // at least as many as the input has
    std::size_t size_;
};

}  // namespace isotick::replay
