#pragma once
// Whether a session goes on: while a majority of those who take part reach each other, every tick
// is confirmed in time (LOCKSTEP.md, "Who takes part").

#include "cuts.hpp"
#include "seat.hpp"

#include <isotick/harness/detail/lockstep_plan.hpp>

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace isotick::harness {

/// How long a packet takes at most, where it is not lost. None where that is unbounded, or so many
/// may be lost in a row that a peer which is there counts as gone.
[[nodiscard]] std::optional<std::int64_t> longest_delay_ns(const NetworkSpec& network);

/// How long a majority may stay at a tick while `others` peers are not a part of it.
[[nodiscard]] std::int64_t longest_stay_ns(std::int64_t longest_delay_ns, std::size_t others);

/// Watches the seats of a session, from outside: it knows who is there and which nodes are cut off.
class Liveness {
  public:
    /// `joining_ns`: how much longer it may take to give a peer its snapshot. The plan must outlive
    /// this.
    Liveness(const LockstepPlan& plan, std::uint64_t ticks, std::int64_t joining_ns);

    /// False where somebody in a majority, or who joins it, waits for too long. To be called at
    /// each frame of a seat; looks at most ten times a second.
    [[nodiscard]] bool holds(std::int64_t now_ns, std::span<const Seat> seats);

  private:
    struct Watched {
        std::optional<std::size_t> id;  // of the run
        std::uint64_t verified = 0;
        std::int64_t moved_ns = 0;  // when there was more of that, for the last time
        std::int64_t away_ns = 0;   // when it was not there, or somebody else, likewise
    };
    using Peers = std::vector<std::uint32_t>;

    void look(std::int64_t now_ns, std::span<const Seat> seats);
    [[nodiscard]] bool reach(std::uint32_t one, std::uint32_t other, std::int64_t since_ns) const;
    [[nodiscard]] static const Seat* farthest(std::span<const Seat> seats);
    [[nodiscard]] Peers members(const Seat& one, std::span<const Seat> seats) const;
    [[nodiscard]] Peers connected(std::uint32_t first, const Peers& among,
                                  std::int64_t since_ns) const;
    [[nodiscard]] bool majority_moves(const Peers& majority, std::int64_t since_ns,
                                      std::span<const Seat> seats) const;
    [[nodiscard]] bool joiners_get_in(const Peers& majority, const Peers& members,
                                      std::int64_t since_ns, std::span<const Seat> seats) const;

    std::uint32_t playing_;
    std::uint64_t ticks_;
    std::int64_t joining_ns_;
    std::optional<std::int64_t> delay_ns_;
    Cuts cuts_;
    std::int64_t looked_ns_ = 0;
    Peers members_;
    std::int64_t members_ns_ = 0;  // since when it is those
    std::vector<Watched> watched_;
    std::vector<std::vector<std::int64_t>> apart_ns_;  // when two were cut off, for the last time
};

}  // namespace isotick::harness
