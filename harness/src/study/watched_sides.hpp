#pragma once
// Two runs whose writes to the state are logged during one tick, so that they can be compared.

#include "../run/state_writes.hpp"
#include "../system/files.hpp"

#include <isotick/core/result.hpp>
#include <isotick/harness/detail/field_report.hpp>
#include <isotick/harness/trial.hpp>

#include <array>
#include <cstdint>
#include <deque>
#include <string>
#include <utility>
#include <vector>

namespace isotick::harness {

/// A side, and which of its writes are wanted: see WriteRequest.
struct WatchedSide {
    const StateSource& source;
    std::uint64_t steps;           ///< the step that is watched, from 1
    std::uint64_t most = 0;        ///< writes to log
    std::uint64_t with_code = 0;   ///< how many of these, the last, with their call stacks
    std::uint64_t most_traps = 0;  ///< writes to the watched pages, whosever
    std::string of{};              ///< only to this part of the state; empty: to all
    bool with_loads = false;
    std::uint64_t instructions = 0;  ///< to trace
    std::uint64_t trace_from = 0;    ///< a write's number
};

/// A side that has been run.
struct LoggedSide {
    WriteLog log;
    std::string wrong;  ///< why there is no usable log; empty if there is one
};

/// A limit that leaves room for writes to other data on the watched pages.
constexpr std::uint64_t most_traps(std::uint64_t writes) {
    return 2 * writes + 5'000;
}

/// Runs both, in forked processes. What only one side freed meanwhile is left out on both. If a
/// snapshot was loaded and left other values than there were on the other side, both run again,
/// with what loading writes.
[[nodiscard]] core::Result<std::array<LoggedSide, 2>> watch_both(const WatchedSide& before,
                                                                 const WatchedSide& after);

/// What a run that had a WriteRequest left in `file`.
[[nodiscard]] LoggedSide logged(const TrialResult& result, const SharedFile& file);

/// Leaves out what says nothing about the simulation: memory that one of them freed, and, if
/// either may load snapshots, how much room containers have.
void align(WriteLog& a, WriteLog& b, bool may_load);

/// Why the two logs cannot be compared; empty: they can.
[[nodiscard]] std::string why_not_comparable(const std::array<LoggedSide, 2>& sides);

/// Whether both wrote the same bytes to the same value, even if it was at different addresses.
[[nodiscard]] bool is_alike(const MemoryWrite& a, const MemoryWrite& b);

/// The code of call stacks, each looked up once.
class KnownCode {
  public:
    /// The reference stays valid.
    const std::vector<CodePlace>& of(const std::vector<CallSite>& sites);

  private:
    std::deque<std::pair<std::vector<CallSite>, std::vector<CodePlace>>> known_;
};

}  // namespace isotick::harness
