#pragma once
// The same for many, several at a time.

#include <isotick/core/result.hpp>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <optional>
#include <thread>
#include <vector>

namespace isotick::harness::bisect {

/// Calls `task` with each number below `count`, on `jobs` threads; 0: as many as there are
/// processors. Fails as the first of the numbers that fails; what comes after one that failed may
/// not be called.
template <class Task>
[[nodiscard]] core::Result<void> in_parallel(std::size_t count, std::size_t jobs,
                                             const Task& task) {
    std::vector<std::optional<core::Error>> errors(count);
    std::atomic<std::size_t> next{0};
    std::atomic<bool> failed{false};
    const auto work = [&] {
        for (std::size_t i = next++; i < count && !failed; i = next++) {
            if (core::Result<void> done = task(i); !done) {
                errors[i] = std::move(done.error());
                failed = true;
            }
        }
    };
    if (jobs == 0) {
        jobs = std::max(1U, std::thread::hardware_concurrency());
    }
    std::vector<std::thread> threads;
    for (std::size_t i = 0; i < std::min(jobs, count); ++i) {
        threads.emplace_back(work);
    }
    for (std::thread& thread : threads) {
        thread.join();
    }
    for (std::optional<core::Error>& error : errors) {
        if (error) {
            return tl::unexpected(*std::move(error));
        }
    }
    return {};
}

}  // namespace isotick::harness::bisect
