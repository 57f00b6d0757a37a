#include "shard.hpp"

#include <isotick/core/detail/text.hpp>
#include <isotick/core/detail/try.hpp>
#include <isotick/core/hash.hpp>

#include <array>
#include <charconv>
#include <cstdlib>
#include <fstream>
#include <optional>
#include <span>

#include <fmt/format.h>

namespace isotick::program {
namespace {

using core::ErrorCode;
using core::Result;

// What runs a job in parts tells each which one it is.
struct Surroundings {
    const char* number;
    const char* count;  // null: it tells only the number
    const char* first;  // names the first number; null: it is `base`
    std::uint32_t base;
};

// The innermost first: a test of Bazel's may run in a job of GitLab's.
constexpr std::array kSurroundings{
    Surroundings{"TEST_SHARD_INDEX", "TEST_TOTAL_SHARDS", nullptr, 0},
    Surroundings{"GTEST_SHARD_INDEX", "GTEST_TOTAL_SHARDS", nullptr, 0},
    Surroundings{"SLURM_ARRAY_TASK_ID", "SLURM_ARRAY_TASK_COUNT", "SLURM_ARRAY_TASK_MIN", 0},
    Surroundings{"BUILDKITE_PARALLEL_JOB", "BUILDKITE_PARALLEL_JOB_COUNT", nullptr, 0},
    Surroundings{"CIRCLE_NODE_INDEX", "CIRCLE_NODE_TOTAL", nullptr, 0},
    Surroundings{"CI_NODE_INDEX", "CI_NODE_TOTAL", nullptr, 1},
    Surroundings{"JOB_COMPLETION_INDEX", nullptr, nullptr, 0}};

constexpr std::uint32_t kMostShards = 1'000'000;

std::optional<std::uint32_t> number_in(std::string_view text) {
    std::uint32_t number = 0;
    const char* const end = text.data() + text.size();
    const auto [read, error] = std::from_chars(text.data(), end, number);
    return error == std::errc() && read == end && number <= kMostShards ? std::optional(number)
                                                                        : std::nullopt;
}

Result<std::uint32_t> number_of(const char* variable) {
    const char* const text = std::getenv(variable);
    const auto number = text == nullptr ? std::nullopt : number_in(text);
    return number ? Result<std::uint32_t>(*number)
                  : core::fail(
                        ErrorCode::usage,
                        fmt::format("--shard auto: {} is {}; name the part, as in 2/4", variable,
                                    text == nullptr ? "not set" : "no number from 0"));
}

Result<Shard> checked(std::uint32_t number, std::uint32_t count, const std::string& source) {
    if (number == 0 || number > count) {
        return core::fail(ErrorCode::usage,
                          fmt::format("--shard{}: there is no part {} of {}",
                                      source.empty() ? "" : " auto, by " + source, number, count));
    }
    return Shard{.number = number, .count = count, .source = source};
}

// Else Bazel takes the test for one that cannot be run in parts.
void tell_bazel() {
    if (const char* const file = std::getenv("TEST_SHARD_STATUS_FILE")) {
        std::ofstream(file, std::ios::app).flush();
    }
}

Result<Shard> from_surroundings(std::optional<std::uint32_t> count) {
    for (const Surroundings& one : kSurroundings) {
        if (std::getenv(one.number) == nullptr) {
            continue;
        }
        std::uint32_t first = one.base;
        if (one.first != nullptr) {
            ISOTICK_TRY_ASSIGN(first, number_of(one.first));
        }
        ISOTICK_TRY_ASSIGN(const std::uint32_t number, number_of(one.number));
        if (!count && one.count == nullptr) {
            return core::fail(ErrorCode::usage,
                              fmt::format("--shard auto: {} does not say of how many: --shard "
                                          "auto/COUNT",
                                          one.number));
        }
        if (!count) {
            ISOTICK_TRY_ASSIGN(count, number_of(one.count));
        }
        tell_bazel();
        return checked(number < first ? 0 : number - first + 1, *count, one.number);
    }
    return core::fail(
        ErrorCode::usage,
        "--shard auto: no variable of a CI server or scheduler says which part this is: "
        "name it, as in 2/4");
}

}  // namespace

std::uint32_t shard_of(std::string_view recording, std::uint32_t count) {
    const std::string name = core::printable(recording);
    const auto hash = core::hash_bytes(std::as_bytes(std::span(name)));
    return static_cast<std::uint32_t>(hash % count) + 1;
}

Result<Shard> parse_shard(const std::string& text) {
    if (text == "auto") {
        return from_surroundings(std::nullopt);
    }
    const std::size_t slash = text.find('/');
    const std::string_view before = std::string_view(text).substr(0, slash);
    const auto count =
        slash == text.npos ? std::nullopt : number_in(std::string_view(text).substr(slash + 1));
    const auto number = number_in(before);
    if (!count || *count == 0 || (!number && before != "auto")) {
        return core::fail(
            ErrorCode::usage,
            "--shard: expected a part such as 2/4, auto or auto/4, not '" + text + "'");
    }
    return number ? checked(*number, *count, "") : from_surroundings(*count);
}

std::string to_string(const Shard& shard) {
    return fmt::format("{}/{}{}", shard.number, shard.count,
                       shard.source.empty() ? "" : " (" + shard.source + ")");
}

}  // namespace isotick::program
