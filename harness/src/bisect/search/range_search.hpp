#pragma once
// Finds every regression between a good commit and a bad one: where one hides another, each gets a
// search of its own.

#include "bisect.hpp"
#include "trying.hpp"

#include <isotick/core/result.hpp>

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <vector>

namespace isotick::harness::bisect {

/// The ends of a range, both tried.
struct RangeEnds {
    Visit good;
    Visit bad;
};

class RangeSearch {
  public:
    /// All must outlive it. Looking for a fix, what diverges is the good end: git's old one.
    RangeSearch(Trying& trying, const Judge& judge, RangeEnds ends, bool for_fix)
        : trying_(trying), judge_(judge), ends_(std::move(ends)), for_fix_(for_fix) {}

    /// What `expect` says, and nothing else; without it all that there is, the earliest tick first.
    [[nodiscard]] core::Result<std::vector<Regression>> find(
        const std::optional<Expectation>& expect);

  private:
    struct Wanted {
        std::string good;
        std::string bad;
        Expectation expectation;
        std::uint64_t most;  // ticks of the states that are worth comparing
    };

    [[nodiscard]] core::Result<Regression> search(const Wanted& wanted);
    [[nodiscard]] core::Result<Visit> visit(const std::string& commit, const Question& question);
    [[nodiscard]] core::Result<void> conclude(const Wanted& wanted,
                                              const std::vector<std::string>& found,
                                              Regression& regression);
    [[nodiscard]] core::Result<void> look_behind(const Wanted& wanted,
                                                 const Regression& regression);
    [[nodiscard]] core::Result<void> look_before(const Regression& regression);
    void look_for_rest(const Wanted& wanted, const Regression& regression);
    [[nodiscard]] core::Result<void> take_unexplained();
    [[nodiscard]] bool is_explained(const Signature& signature) const;
    [[nodiscard]] Mark mark_of(Standing standing) const;

    Trying& trying_;
    const Judge& judge_;
    RangeEnds ends_;
    bool for_fix_;
    std::deque<Wanted> wanted_;
    std::vector<Regression> found_;
    std::vector<Visit> others_;  // that diverge otherwise than was looked for
};

}  // namespace isotick::harness::bisect
