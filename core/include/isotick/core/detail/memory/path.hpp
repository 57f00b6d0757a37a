#pragma once
// The paths of the values in a state, by class: `units[*].velocity.y` stands for all units.

#include <cstddef>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace isotick::core {

/// One class of paths and those that begin with it. Made once each, so that equal ones have the
/// same text at the same address while the tree lives. Texts beyond 1,000 bytes end with `…` and
/// stand for all that would follow. Not thread-safe.
class MemoryPath {
  public:
    MemoryPath() = default;

    /// Empty for the root.
    [[nodiscard]] const char* text() const { return text_.c_str(); }

    /// The member `name` of what is here.
    MemoryPath& member(std::string_view name) { return next(name, true); }

    /// What is here, with `suffix` behind it, such as `[*]`; itself if that is empty.
    MemoryPath& with(std::string_view suffix) {
        return suffix.empty() ? *this : next(suffix, false);
    }

  private:
    static constexpr std::size_t kLongest = 1000;

    MemoryPath& next(std::string_view step, bool member);
    MemoryPath& add(std::string_view step, bool member);

    std::string text_;
    bool cut_ = false;
    std::size_t place_ = 0;   // among the paths that begin with the same
    std::size_t likely_ = 0;  // serialize visits the same members in the same order again
    std::map<std::string, MemoryPath, std::less<>> steps_;
    std::vector<std::map<std::string, MemoryPath, std::less<>>::iterator> in_order_;
};

}  // namespace isotick::core
