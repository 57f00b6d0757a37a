#pragma once
// The file that a state dump is written into.

#include <isotick/core/result.hpp>

#include <string>

namespace isotick::program {

/// A new, empty file; removed again unless it is kept. Movable.
class StateFile {
  public:
    /// Fails with `usage` where the path exists, with `io` where it cannot be created.
    [[nodiscard]] static core::Result<StateFile> create(const std::string& path);
    ~StateFile();
    StateFile(StateFile&& other) noexcept;
    StateFile& operator=(StateFile&&) = delete;

    void keep() { path_.clear(); }

  private:
    explicit StateFile(std::string path) : path_(std::move(path)) {}

    std::string path_;  // empty: nothing to remove
};

}  // namespace isotick::program
