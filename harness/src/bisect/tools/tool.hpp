#pragma once
// Compilers, linkers and the like: run to their end, with a log.

#include <isotick/core/result.hpp>

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace isotick::harness::bisect {

/// For each run of a tool.
struct ToolLimits {
    std::uint64_t timeout_ms = 0;    ///< 0: as long as it takes
    std::uint64_t memory_limit = 0;  ///< bytes for each of its processes; 0: none
    std::uint64_t most_output = std::uint64_t{64} << 20;
    std::function<bool()> stop{};  ///< asked now and then; true ends it
};

/// Runs the program `words` in `folder`; what it prints goes into the file `log`. Returns why it
/// failed, empty where it did not. Fails where it was stopped, or the log cannot be written.
/// May be called by several threads at a time.
[[nodiscard]] core::Result<std::string> run_tool(const std::vector<std::string>& words,
                                                 const std::string& folder, const std::string& log,
                                                 const ToolLimits& limits);

/// What a file holds. Fails where it cannot be read.
[[nodiscard]] core::Result<std::string> content_of_file(const std::string& path);

/// Replaces what a file holds.
[[nodiscard]] core::Result<void> write_file(const std::string& path, const std::string& content);

/// What texts hold together, as 32 digits.
[[nodiscard]] std::string digest_of(const std::vector<std::string>& texts);

/// Makes a folder, and those above it.
[[nodiscard]] core::Result<void> make_folder(const std::string& folder);

}  // namespace isotick::harness::bisect
