#include "run_pair.hpp"

#include <isotick/core/detail/try.hpp>

#include <utility>

namespace isotick::harness {
namespace {

using core::Result;

Result<TrialResult> run_one(const PairSide& side) {
    ISOTICK_TRY_ASSIGN(auto results, side.run(std::array{side.plan}, Isolation::forked));
    return std::move(results.front());
}

}  // namespace

Result<std::array<TrialResult, 2>> run_pair(const PairSide& a, const PairSide& b) {
    if (&a.run == &b.run) {
        return a.run(std::array{a.plan, b.plan}, Isolation::forked)
            .map([](std::vector<TrialResult>&& both) {
                return std::array{std::move(both.front()), std::move(both.back())};
            });
    }
    ISOTICK_TRY_ASSIGN(auto first, run_one(a));
    ISOTICK_TRY_ASSIGN(auto second, run_one(b));
    return std::array{std::move(first), std::move(second)};
}

}  // namespace isotick::harness
