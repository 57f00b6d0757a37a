#pragma once
// A disk that cannot be read.

#include <cstdint>

namespace isotick::replay {

/// While it lives, one read of this process's files fails with EIO: the one after `before` others,
/// and with `stays` all that follow. One at a time.
class FailingRead {
  public:
    explicit FailingRead(std::uint64_t before, bool stays = false);
    ~FailingRead();
    FailingRead(const FailingRead&) = delete;
    FailingRead& operator=(const FailingRead&) = delete;

    /// Whether as many reads came.
    [[nodiscard]] static bool has_failed();
};

}  // namespace isotick::replay
