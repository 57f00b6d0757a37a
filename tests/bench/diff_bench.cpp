// Two long recordings that part somewhere: how fast the place is found.

#include "process.hpp"
#include "suite.hpp"

#include <isotick/replay/compare.hpp>

#include <algorithm>
#include <stdexcept>

#include <replay/fake_session.hpp>

namespace isotick::bench {
namespace {

using replay::FakeSession;

constexpr std::uint64_t kOtherRecordings = 4;
constexpr std::uint64_t kSeed = 20;

/// Two players, five parts; the hashes of all states after tick `parting` differ from the others'.
FakeSession session_parting_at(std::uint64_t ticks, std::uint64_t parting) {
    FakeSession session;
    session.ticks = ticks;
    session.head.session.players = 2;
    session.set_parts(5);
    session.input = replay::pad_input;
    session.part_hash = [parting](std::uint64_t done, std::uint32_t part) {
        return replay::mix(done, part, done > parting ? 1 : 0);
    };
    return session;
}

void record(const FakeSession& session, const std::string& path) {
    if (const auto recorded = session.record(path); !recorded) {
        throw std::runtime_error(describe(recorded.error()));
    }
}

// Chunks read in both files; throws unless the comparison finds `parting`.
double chunks_read(const std::string& one, const std::string& other, std::uint64_t parting) {
    const auto compared = replay::compare(one, other);
    if (!compared || !compared->hashes || compared->hashes->tick != core::Tick{parting}) {
        throw std::runtime_error("the comparison misses tick " + std::to_string(parting));
    }
    return static_cast<double>(compared->a.chunks_read + compared->b.chunks_read);
}

void measure_diff(benchmark::UserCounters& counters, const Suite& suite) {
    const std::uint64_t ticks = suite.sized(1'000'000, 10'000);
    const std::string base = suite.file("base.isotick");
    record(session_parting_at(ticks, ticks), base);
    std::vector<std::string> others;
    double most_chunks = 0;
    for (std::uint64_t i = 0; i < kOtherRecordings; ++i) {
        const std::uint64_t parting = replay::mix(kSeed, i) % ticks;
        others.push_back(suite.file("other" + std::to_string(i) + ".isotick"));
        record(session_parting_at(ticks, parting), others.back());
        most_chunks = std::max(most_chunks, chunks_read(base, others.back(), parting));
    }
    std::vector<double> wall_ms;
    std::vector<double> cpu_ms;
    for (std::uint64_t round = 0; round < suite.sized(5, 1); ++round) {
        for (const std::string& other : others) {
            const Cost cost = run(isotick_command({"diff", base, other}), 1);
            wall_ms.push_back(1e3 * cost.wall_seconds);
            cpu_ms.push_back(1e3 * cost.cpu_seconds);
        }
    }
    counters["wall"] = median(wall_ms);
    counters["cpu"] = median(cpu_ms);
    counters["chunks"] = most_chunks;
}

}  // namespace

void add_diff_benchmarks(Suite& suite) {
    suite.add_once(
        "diff",
        {{"wall", "diff of two 1,000,000-tick recordings, ms, median of 20", 2, at_most(10)},
         {"cpu", "the same, ms of CPU time", 2, at_most(10)},
         {"chunks", "the same, chunks read of both files' 31,250, at most", 0}},
        [&](benchmark::UserCounters& counters) { measure_diff(counters, suite); });
}

}  // namespace isotick::bench
