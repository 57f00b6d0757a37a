#pragma once
// The inputs that one peer contributes, tick after tick: its own to send, or another's as received.

#include <isotick/core/detail/bytes.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace isotick::harness {

/// An entry for each tick of [begin, end), without gaps. Ticks with equal entries take the memory
/// of one. Not thread-safe.
class InputLog {
  public:
    explicit InputLog(std::uint64_t first = 0) : begin_(first), end_(first) {}

    [[nodiscard]] std::uint64_t begin() const { return begin_; }
    [[nodiscard]] std::uint64_t end() const { return end_; }
    /// That the entries take.
    [[nodiscard]] std::size_t bytes() const { return bytes_; }

    /// Appends the same entry for `count` ticks, at least one.
    void append(std::span<const std::byte> entry, std::uint64_t count = 1);
    /// Requires begin() <= tick < end(). Valid until the next call that changes the log.
    [[nodiscard]] std::span<const std::byte> at(std::uint64_t tick) const;
    /// Forgets the ticks before, but the latest entry stays.
    void forget_before(std::uint64_t tick);

    /// Calls `take(entry, count)` for the runs of equal entries in [first, end()) until it returns
    /// false. Requires begin() <= first.
    template <class Take>
    void each_run(std::uint64_t first, const Take& take) const {
        for (std::size_t i = first < end_ ? find(first) : runs_.size(); i < runs_.size(); ++i) {
            const std::uint64_t from = first > runs_[i].first ? first : runs_[i].first;
            if (!take(std::span<const std::byte>(runs_[i].entry), run_end(i) - from)) {
                return;
            }
        }
    }

  private:
    struct Run {
        std::uint64_t first = 0;
        core::Bytes entry;
    };

    [[nodiscard]] std::size_t find(std::uint64_t tick) const;  // the run that it is in
    [[nodiscard]] std::uint64_t run_end(std::size_t run) const {
        return run + 1 < runs_.size() ? runs_[run + 1].first : end_;
    }

    std::vector<Run> runs_;  // those before front_ are forgotten
    std::size_t front_ = 0;
    std::uint64_t begin_;
    std::uint64_t end_;
    std::size_t bytes_ = 0;
};

}  // namespace isotick::harness
