#pragma once
// Memory that runs out when a test wants it to.

#include <cstdint>

namespace isotick::replay {

/// While it lives, the n-th allocation of this process from its beginning on fails, on whatever
/// thread, and with `lasting` all after it too. One at a time. Does nothing where it is not
/// supported.
class FailingAllocations {
  public:
    FailingAllocations(std::uint64_t nth, bool lasting);
    ~FailingAllocations();
    FailingAllocations(const FailingAllocations&) = delete;
    FailingAllocations& operator=(const FailingAllocations&) = delete;

    /// Whether allocations can fail here: with the C library of GNU, without a sanitizer.
    [[nodiscard]] static bool are_supported();
    /// Whether one has failed.
    [[nodiscard]] static bool have_failed();
};

}  // namespace isotick::replay
