// How long a Recorder that may not wait keeps the thread that plays, when its disk does not move.

#include "suite.hpp"

#include <isotick/replay/recorder.hpp>

#include <algorithm>
#include <array>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <stdexcept>
#include <unistd.h>

#include <sys/resource.h>
#include <sys/stat.h>

namespace isotick::bench {
namespace {

// A pipe that nobody empties: writing to it blocks until it is closed.
class BlockedDisk {
  public:
    explicit BlockedDisk(const std::string& path) : path_(path) {
        std::remove(path.c_str());
        if (mkfifo(path.c_str(), 0600) != 0) {
            throw std::runtime_error("no pipe could be made");
        }
        reader_ = open(path.c_str(), O_RDONLY | O_NONBLOCK);
    }
    ~BlockedDisk() {
        close(reader_);
        std::remove(path_.c_str());
    }
    BlockedDisk(const BlockedDisk&) = delete;
    BlockedDisk& operator=(const BlockedDisk&) = delete;

  private:
    std::string path_;
    int reader_;
};

// How often this thread gave up its processor to wait for something, and how often it was taken
// away for others.
struct Switches {
    long waited = 0;
    long preempted = 0;
};

Switches switches_so_far() {
    rusage used{};
    getrusage(RUSAGE_THREAD, &used);
    return {used.ru_nvcsw, used.ru_nivcsw};
}

struct Longest {
    double call_ms = 0;  // of calls in which the processor was not taken away
    long waits = 0;
    std::uint64_t given_up = 0;

    // One call that took `ms`, between the two counts.
    void count(double ms, const Switches& before, const Switches& after) {
        waits += after.waited - before.waited;
        if (after.preempted == before.preempted) {
            call_ms = std::max(call_ms, ms);
        }
    }
};

// A session of large inputs, until the recording is given up and a while beyond.
void play(const std::string& path, std::uint64_t ticks, Longest& longest) {
    const BlockedDisk disk(path);
    replay::RecordingHead head;
    head.session = {.simulation = "pad", .players = 1};
    auto recorder = replay::Recorder::create(
        path, head, {}, {.overwrite = true, .patience_ms = 0, .most_queued = 4});
    if (!recorder) {
        throw std::runtime_error(describe(recorder.error()));
    }
    std::array<std::uint8_t, 400> bytes{};
    const std::array<isotick_input, 2> inputs{isotick_input{0, 1, bytes.size(), bytes.data()},
                                              isotick_input{ISOTICK_WORLD, 0, 0, nullptr}};
    for (std::uint64_t tick = 0; tick < ticks; ++tick) {
        for (std::size_t i = 0; i < bytes.size(); ++i) {
            bytes[i] =
                static_cast<std::uint8_t>((tick * 0x9e3779b97f4a7c15 + i * 0x2545f491) >> 24);
        }
        const replay::TickHashes hashes{core::StateHash{tick}, {}};
        const Switches before = switches_so_far();
        const auto begin = std::chrono::steady_clock::now();
        const bool recorded = recorder->record(core::Tick{tick}, inputs, &hashes).has_value();
        const std::chrono::duration<double, std::milli> took =
            std::chrono::steady_clock::now() - begin;
        longest.count(took.count(), before, switches_so_far());
        longest.given_up += recorded ? 0 : 1;
    }
}

void measure(benchmark::UserCounters& counters, const Suite& suite) {
    std::signal(SIGPIPE, SIG_IGN);  // when a pipe is closed at last
    const std::uint64_t recordings = suite.sized(50, 1);
    Longest longest;
    for (std::uint64_t i = 0; i < recordings; ++i) {
        play(suite.file("pipe"), 2000, longest);
    }
    if (longest.given_up != recordings) {
        throw std::runtime_error("the disk was not blocked");
    }
    counters["longest ms"] = longest.call_ms;
    counters["waits"] = static_cast<double>(longest.waits);
}

}  // namespace

void add_recorder_disk_benchmarks(Suite& suite) {
    suite.add_once("recorder against a blocked disk",
                   {{"longest ms", "longest call of Recorder, disk blocked, ms", 3, at_most(1.0)},
                    {"waits", "calls in which it waited for anything", 0}},
                   [&](benchmark::UserCounters& counters) { measure(counters, suite); });
}

}  // namespace isotick::bench
