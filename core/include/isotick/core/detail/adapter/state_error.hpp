#pragma once
// What is thrown when a state cannot be walked.

#include <stdexcept>
#include <string>
#include <utility>

namespace isotick::core {

/// A state that cannot be hashed: too deep, a cycle, or the user's own code threw. The text begins
/// with the path reached so far.
class StateError : public std::logic_error {
  public:
    /// `path` may be empty: the root itself.
    StateError(std::string path, const std::string& reason)
        : logic_error("at " + (path.empty() ? "the root of the state" : path) + ": " + reason),
          path_(std::move(path)) {}

    [[nodiscard]] const std::string& path() const { return path_; }

  private:
    std::string path_;
};

}  // namespace isotick::core
