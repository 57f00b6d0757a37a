#pragma once
// Where in the state a walk is: `units[17].velocity.y`, put together only when somebody asks.

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

namespace isotick::core::detail {

/// A stack of names and indices. Costs a store or two per step; steps beyond the 64th are counted
/// and not kept. Names must live until they are left.
class StatePath {
  public:
    void enter(const char* name) {
        if (count_ < steps_.size()) {
            steps_[count_] = {name, 0};
        }
        ++count_;
    }
    /// Enters a container: its elements are told apart by set_index.
    void enter_elements() { enter(nullptr); }
    void set_index(std::uint64_t index) {
        if (count_ <= steps_.size()) {
            steps_[count_ - 1].index = index;
        }
    }
    void leave() { --count_; }

    /// Empty at the root; ends with `…` where steps were not kept.
    [[nodiscard]] std::string text() const;

  private:
    struct Step {
        const char* name;
        std::uint64_t index;
    };
    std::array<Step, 64> steps_;
    std::size_t count_ = 0;
};

}  // namespace isotick::core::detail
