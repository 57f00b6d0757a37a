#include "run_pair.hpp"

#include <utility>

namespace isotick::harness {
namespace {

using core::Result;

Result<TrialResult> run_one(const PairSide& side) {
    auto results = side.run(std::array{side.plan}, Isolation::forked);
    if (!results) {
        return tl::unexpected(results.error());
    }
    return std::move(results->front());
}

}  // namespace

Result<std::array<TrialResult, 2>> run_pair(const PairSide& a, const PairSide& b) {
    if (&a.run == &b.run) {
        return a.run(std::array{a.plan, b.plan}, Isolation::forked)
            .map([](std::vector<TrialResult>&& both) {
                return std::array{std::move(both.front()), std::move(both.back())};
            });
    }
    auto first = run_one(a);
    if (!first) {
        return tl::unexpected(first.error());
    }
    return run_one(b).map([&](TrialResult&& second) {
        return std::array{*std::move(first), std::move(second)};
    });
}

}  // namespace isotick::harness
