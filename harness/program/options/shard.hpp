#pragma once
// One machine's share of the recordings, or of the trials of each.

#include <isotick/core/result.hpp>

#include <cstdint>
#include <string>
#include <string_view>

namespace isotick::program {

struct Shard {
    std::uint32_t number = 1;  ///< from 1 to `count`
    std::uint32_t count = 1;
    bool by_trials = false;  ///< it has all recordings, and of each some of the trials
    std::string source{};    ///< the variable of the surroundings that said so; empty: the user did
    friend bool operator==(const Shard&, const Shard&) = default;
};

/// Which of `count` shards a recording belongs to, from 1: by a hash of its printable name, so that
/// another recording in the list moves none to another shard.
[[nodiscard]] std::uint32_t shard_of(std::string_view recording, std::uint32_t count);

/// `2/4`; `auto`, as the surroundings say: Bazel, GoogleTest, a Slurm array, GitLab, Buildkite or
/// CircleCI; `auto/4` where they know only the number, as an indexed job of Kubernetes. Fails with
/// `usage`.
[[nodiscard]] core::Result<Shard> parse_shard(const std::string& text);

/// `2/4`, or `2/4 (SLURM_ARRAY_TASK_ID)`
[[nodiscard]] std::string to_string(const Shard& shard);

}  // namespace isotick::program
