#pragma once
// The frame around every benchmark: its size, its scratch files, its rows in the table.

#include "table.hpp"

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include <benchmark/benchmark.h>
#include <support/scratch_folder.hpp>

namespace isotick::bench {

/// Where benchmarks are registered. Must outlive their run.
class Suite {
  public:
    /// `small`: each benchmark runs once and on little, to see that it still works.
    explicit Suite(bool small) : small_(small), table_(!small) {}

    /// `usual`, or `least` where benchmarks only have to run at all.
    [[nodiscard]] std::uint64_t sized(std::uint64_t usual, std::uint64_t least) const {
        return small_ ? least : usual;
    }

    /// The path of a scratch file.
    [[nodiscard]] std::string file(const std::string& name) const { return folder_.file(name); }

    /// A benchmark that repeats `body` (a loop over its State) as often as Google Benchmark likes.
    void add(const std::string& name, std::vector<Row> rows,
             std::function<void(benchmark::State&)> body);

    /// A benchmark that repeats and times what it needs on its own, and sets the counters.
    void add_once(const std::string& name, std::vector<Row> rows,
                  std::function<void(benchmark::UserCounters&)> body);

    [[nodiscard]] TableReporter& table() { return table_; }

  private:
    bool small_;
    tests::ScratchFolder folder_;
    TableReporter table_;
};

/// For a body that did `count` things in each iteration: how many nanoseconds of CPU time one
/// took.
[[nodiscard]] benchmark::Counter nanoseconds_each(const benchmark::State& state, double count);

/// The middle of `values`, the upper one of two. Requires at least one.
[[nodiscard]] double median(std::vector<double> values);

void add_burst_benchmarks(Suite& suite);
void add_capture_benchmarks(Suite& suite);
void add_core_benchmarks(Suite& suite);
void add_diff_benchmarks(Suite& suite);
void add_hash_archive_benchmarks(Suite& suite);
void add_lockstep_benchmarks(Suite& suite);
void add_network_benchmarks(Suite& suite);
void add_peer_benchmarks(Suite& suite);
void add_recorder_benchmarks(Suite& suite);
void add_recorder_disk_benchmarks(Suite& suite);
void add_recording_benchmarks(Suite& suite);
void add_repair_benchmarks(Suite& suite);
void add_rollback_benchmarks(Suite& suite);
void add_schedule_benchmarks(Suite& suite);
void add_state_benchmarks(Suite& suite);
void add_text_benchmarks(Suite& suite);
void add_verify_benchmarks(Suite& suite);
void add_ways_in_benchmarks(Suite& suite);

}  // namespace isotick::bench
