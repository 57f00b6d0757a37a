// The benchmarks: `isotick_bench` prints the table, `isotick_bench --small` only sees that each one
// works. Google Benchmark's own options (--benchmark_filter=…, --benchmark_out=FILE) work too.

#include "suite.hpp"

#include <isotick/replay/reader.hpp>

#include <cstring>

namespace {

// What the benchmark of memory runs in a process of its own: reads all ticks, keeps none.
int read_through(const char* path) {
    auto reader = isotick::replay::Reader::open(path);
    if (!reader) {
        return 1;
    }
    for (;;) {
        const auto chunk = reader->next();
        if (!chunk) {
            return 1;
        }
        if (*chunk == nullptr) {
            return reader->saw_last() ? 0 : 1;
        }
    }
}

bool take_small(int& argc, char** argv) {
    for (int i = 1; i < argc; ++i) {
        if (std::strcmp(argv[i], "--small") == 0) {
            for (int next = i; next < argc; ++next) {
                argv[next] = argv[next + 1];
            }
            --argc;
            return true;
        }
    }
    return false;
}

}  // namespace

int main(int argc, char** argv) {
    if (argc == 3 && std::strcmp(argv[1], "--read") == 0) {
        return read_through(argv[2]);
    }
    const bool small = take_small(argc, argv);
    benchmark::Initialize(&argc, argv);
    if (benchmark::ReportUnrecognizedArguments(argc, argv)) {
        return 2;
    }
    isotick::bench::Suite suite(small);
    // Memory first: a process inherits its parent's peak.
    add_repair_benchmarks(suite);
    add_rollback_benchmarks(suite);
    add_burst_benchmarks(suite);
    add_recording_benchmarks(suite);
    add_diff_benchmarks(suite);
    add_peer_benchmarks(suite);
    add_verify_benchmarks(suite);
    add_ways_in_benchmarks(suite);
    add_core_benchmarks(suite);
    add_hash_archive_benchmarks(suite);
    add_schedule_benchmarks(suite);
    add_capture_benchmarks(suite);
    add_lockstep_benchmarks(suite);
    add_network_benchmarks(suite);
    add_state_benchmarks(suite);
    add_text_benchmarks(suite);
    add_recorder_benchmarks(suite);
    add_recorder_disk_benchmarks(suite);
    const std::size_t count = benchmark::RunSpecifiedBenchmarks(&suite.table());
    benchmark::Shutdown();
    return count != 0 && suite.table().print() ? 0 : 1;
}
