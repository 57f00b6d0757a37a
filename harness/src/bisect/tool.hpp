#pragma once
// Runs tools, several at a time.

#include <isotick/core/result.hpp>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <iosfwd>
#include <optional>
#include <string>
#include <thread>
#include <vector>

namespace isotick::harness::bisect {

// Compilers, linkers and the like: run to their end, with a log.

/// For each run of a tool.
struct ToolLimits {
    std::uint64_t timeout_ms = 0;    ///< 0: as long as it takes
    std::uint64_t memory_limit = 0;  ///< bytes for each of its processes; 0: none
    std::uint64_t most_output = std::uint64_t{64} << 20;
    std::function<bool()> stop{};  ///< asked now and then; true ends it
};

/// How a run of a tool ended.
struct ToolEnd {
    std::string failure{};  ///< with the first error in its log; empty: it did not fail
    int exit_code = 0;
};

/// Runs the program `words` in `folder`, without variables of git; what it prints goes into the
/// file `log`. Fails where it was stopped, or the log cannot be written. May be called by several
/// threads at a time.
[[nodiscard]] core::Result<ToolEnd> run_tool(const std::vector<std::string>& words,
                                             const std::string& folder, const std::string& log,
                                             const ToolLimits& limits);

/// The first line of a log that looks like an error, else the last line that is not blank, without
/// the blanks around it; the beginning of a long one.
[[nodiscard]] std::string first_error(std::istream& log);

/// What a file holds. Fails where it cannot be read.
[[nodiscard]] core::Result<std::string> content_of_file(const std::string& path);

/// Replaces what a file holds.
[[nodiscard]] core::Result<void> write_file(const std::string& path, const std::string& content);

/// What texts hold together, as 32 digits.
[[nodiscard]] std::string digest_of(const std::vector<std::string>& texts);

/// Makes a folder, and those above it.
[[nodiscard]] core::Result<void> make_folder(const std::string& folder);

// The same for many, several at a time.

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
