// What recording costs the thread that plays, beside a buffered fwrite of the same bytes.

#include "suite.hpp"

#include <isotick/replay/recorder.hpp>

#include <array>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <memory>
#include <stdexcept>
#include <thread>

namespace isotick::bench {
namespace {

double thread_cpu_seconds() {
    timespec time{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

// One player's pad and the hash of the state.
struct Pad {
    std::array<std::uint8_t, 8> bytes{};
    std::array<isotick_input, 2> inputs{isotick_input{0, 1, 8, bytes.data()},
                                        isotick_input{ISOTICK_WORLD, 0, 0, nullptr}};
    replay::TickHashes hashes;

    void play(std::uint64_t tick, bool changes) {
        const std::uint64_t mixed = changes ? tick * 0x9e3779b97f4a7c15 : 0;
        std::memcpy(bytes.data(), &mixed, sizeof mixed);
        hashes.state = core::StateHash{tick * 0x9e3779b97f4a7c15};
    }
};

// Ticks of a full chunk at 60 Hz, and in a row before the other thread may catch up.
constexpr std::uint64_t kChunk = 64;
constexpr std::uint64_t kBurst = 32 * kChunk;

double seconds_of_recorder(const std::string& path, std::uint64_t ticks, bool changes) {
    replay::RecordingHead head;
    head.session.simulation = "pad";
    head.session.players = 1;
    auto recorder = replay::Recorder::create(
        path, head, {},
        {.overwrite = true, .durable = false, .patience_ms = 60'000, .most_queued = 64});
    if (!recorder) {
        throw std::runtime_error(describe(recorder.error()));
    }
    Pad pad;
    bool recorded = true;
    double seconds = 0;
    for (std::uint64_t tick = 0; tick < ticks;) {
        const double begin = thread_cpu_seconds();
        for (std::uint64_t i = 0; i < kBurst && tick < ticks; ++i, ++tick) {
            pad.play(tick, changes);
            recorded = recorder->record(core::Tick{tick}, pad.inputs, &pad.hashes) && recorded;
        }
        seconds += thread_cpu_seconds() - begin;
        while (recorded && recorder->written_through() + kChunk <= tick) {
            std::this_thread::yield();  // no game is so fast that its disk falls behind for ever
        }
    }
    if (!recorded || !recorder->finish(pad.hashes)) {
        throw std::runtime_error("the recorder failed");
    }
    return seconds;
}

double seconds_of_fwrite(const std::string& path, std::uint64_t ticks, bool changes) {
    const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "wb"),
                                                               std::fclose);
    Pad pad;
    bool written = file != nullptr;
    const double begin = thread_cpu_seconds();
    for (std::uint64_t tick = 0; written && tick < ticks; ++tick) {
        pad.play(tick, changes);
        written = std::fwrite(pad.bytes.data(), 1, pad.bytes.size(), file.get()) == 8 &&
                  std::fwrite(&pad.hashes.state, 1, 8, file.get()) == 8;
    }
    const double seconds = thread_cpu_seconds() - begin;
    if (!written) {
        throw std::runtime_error("fwrite failed");
    }
    return seconds;
}

void measure_recorder(benchmark::UserCounters& counters, const Suite& suite) {
    const std::uint64_t ticks = suite.sized(400'000, 200);
    for (const bool changes : {false, true}) {
        std::vector<double> ratios;
        std::vector<double> nanoseconds;
        for (std::uint64_t round = 0; round < suite.sized(11, 1); ++round) {
            const double raw = seconds_of_fwrite(suite.file("raw"), ticks, changes);
            const double recording =
                seconds_of_recorder(suite.file("live.isotick"), ticks, changes);
            ratios.push_back(recording / raw);
            nanoseconds.push_back(recording / static_cast<double>(ticks) * 1e9);
        }
        counters[changes ? "changing" : "unchanged"] = median(ratios);
        counters[changes ? "changing ns" : "unchanged ns"] = median(nanoseconds);
    }
}

}  // namespace

void add_recorder_benchmarks(Suite& suite) {
    suite.add_once(
        "recorder",
        {{"unchanged", "recording a tick, input unchanged, of fwrite's time", 2, at_most(1.0)},
         {"unchanged ns", "the same, ns of the thread that plays"},
         {"changing", "recording a tick, 8 bytes changed, of fwrite's time", 2, at_most(1.0)},
         {"changing ns", "the same, ns of the thread that plays"}},
        [&](benchmark::UserCounters& counters) { measure_recorder(counters, suite); });
}

}  // namespace isotick::bench
