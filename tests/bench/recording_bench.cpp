// Recordings: their size, and what writing and reading them takes.

#include "process.hpp"
#include "suite.hpp"
#include "value_or_throw.hpp"

#include <isotick/replay/reader.hpp>
#include <isotick/replay/writer.hpp>

#include <filesystem>
#include <stdexcept>

#include <replay/fake_session.hpp>

namespace isotick::bench {
namespace {

using replay::FakeSession;

constexpr std::uint64_t kHour = 60 * 3600;

FakeSession idle(std::uint64_t ticks) {
    FakeSession session;
    session.ticks = ticks;
    return session;
}

FakeSession two_pads(std::uint64_t ticks) {
    FakeSession session = idle(ticks);
    session.head.session.players = 2;
    session.input = replay::pad_input;
    return session;
}

double bytes_per_tick(const std::string& path, std::uint64_t ticks) {
    return static_cast<double>(std::filesystem::file_size(path)) / static_cast<double>(ticks);
}

double size_of(FakeSession session, std::uint32_t hash_every, const std::string& path) {
    session.head.hash_every = hash_every;
    value_or_throw(session.record(path, {.overwrite = true}));
    return bytes_per_tick(path, session.ticks);
}

void measure_size(benchmark::UserCounters& counters, const Suite& suite) {
    const std::uint64_t ticks = suite.sized(kHour, 600);
    const std::string path = suite.file("size.isotick");
    counters["idle"] = size_of(idle(ticks), 1, path);
    counters["pads"] = size_of(two_pads(ticks), 1, path);
    counters["idle60"] = size_of(idle(ticks), 60, path);
    counters["pads60"] = size_of(two_pads(ticks), 60, path);
    for (const std::string every : {"1", "60"}) {
        run(isotick_command({"record", "--sim", "skirmish", "--config", "units=100", "--ticks",
                             std::to_string(ticks), "--hash-every", every, "--force", "-o", path}));
        counters["skirmish" + (every == "1" ? "" : every)] = bytes_per_tick(path, ticks);
    }
}

void measure_memory(benchmark::UserCounters& counters, const Suite& suite) {
    const std::string path = suite.file("long.isotick");
    value_or_throw(two_pads(suite.sized(1'000'000, 10'000)).record(path));
    counters["reader"] = run({"/proc/self/exe", "--read", path}).most_resident_mib;
    counters["inspect"] = run(isotick_command({"inspect", path})).most_resident_mib;
}

/// A stretch of a session in memory, to be written again and again.
class Stretch {
  public:
    explicit Stretch(const FakeSession& session) : session_(session) {
        const std::uint32_t players = session.head.session.players;
        for (std::uint64_t tick = 0; tick < session.ticks; ++tick) {
            for (std::uint32_t column = 0; column <= players; ++column) {
                const auto& bytes = bytes_.emplace_back(session.input(tick, column));
                inputs_.push_back({column < players ? column : ISOTICK_WORLD, bytes ? 1U : 0U,
                                   bytes ? bytes->size() : 0, bytes ? bytes->data() : nullptr});
            }
            parts_.push_back(session.parts_after(tick + 1));
            states_.push_back(core::hash_parts(parts_.back()));
        }
    }

    void write(const std::string& path) const {
        auto writer = session_.create(path, {.overwrite = true});
        const std::size_t columns = session_.head.session.players + 1;
        for (std::size_t tick = 0; writer && tick < states_.size(); ++tick) {
            const replay::TickHashes hashes{states_[tick], parts_[tick]};
            value_or_throw(
                writer->append(std::span(inputs_).subspan(tick * columns, columns), &hashes));
        }
        if (!writer || !writer->finish({states_.back(), parts_.back()})) {
            throw std::runtime_error("cannot write " + path);
        }
    }

  private:
    const FakeSession& session_;
    std::vector<replay::Input> bytes_;  // a moved Input keeps its bytes where they are
    std::vector<isotick_input> inputs_;
    std::vector<std::vector<core::PartHash>> parts_;
    std::vector<core::StateHash> states_;
};

FakeSession five_parts(std::uint64_t ticks) {
    FakeSession session = two_pads(ticks);
    session.set_parts(5);
    return session;
}

void write_recording(benchmark::State& state, const Suite& suite) {
    const FakeSession session = five_parts(suite.sized(64'000, 640));
    const Stretch stretch(session);
    for ([[maybe_unused]] auto once : state) {
        stretch.write(suite.file("written.isotick"));
    }
    state.counters["ns"] = nanoseconds_each(state, static_cast<double>(session.ticks));
}

void read_recording(benchmark::State& state, const Suite& suite) {
    const FakeSession session = five_parts(suite.sized(64'000, 640));
    const std::string path = suite.file("read.isotick");
    value_or_throw(session.record(path, {.overwrite = true}));
    for ([[maybe_unused]] auto once : state) {
        auto reader = replay::Reader::open(path);
        std::uint64_t ticks = 0;
        while (const replay::TickChunk* chunk = reader->next().value()) {
            for (std::uint32_t i = 0; i < chunk->ticks(); ++i) {
                benchmark::DoNotOptimize(chunk->inputs(i).data());
            }
            ticks += chunk->ticks();
        }
        if (ticks != session.ticks) {
            throw std::runtime_error("not all ticks were read");
        }
    }
    state.counters["ns"] = nanoseconds_each(state, static_cast<double>(session.ticks));
}

}  // namespace

void add_recording_benchmarks(Suite& suite) {
    suite.add_once(
        "memory",
        {{"reader", "reading 1,000,000 ticks through Reader, MiB resident", 1, at_most(32)},
         {"inspect", "isotick inspect of 1,000,000 ticks, MiB resident", 1, at_most(32)}},
        [&](benchmark::UserCounters& counters) { measure_memory(counters, suite); });
    suite.add_once("size",
                   {{"idle", "an hour at 60 Hz, idle, bytes per tick", 2, at_most(9.2)},
                    {"pads", "an hour of two pads of 3 bytes, bytes per tick", 2, at_most(11.2)},
                    {"idle60", "idle, hashed every 60 ticks, bytes per tick", 2, at_most(1.2)},
                    {"pads60", "two pads, hashed every 60 ticks, bytes per tick", 2, at_most(3.2)},
                    {"skirmish", "skirmish (5 parts, orders of two bots), bytes per tick", 2},
                    {"skirmish60", "skirmish, hashed every 60 ticks, bytes per tick", 2}},
                   [&](benchmark::UserCounters& counters) { measure_size(counters, suite); });
    suite.add("write", {{"ns", "writing two pads and 5 parts, ns a tick", 0}},
              [&](benchmark::State& state) { write_recording(state, suite); });
    suite.add("read", {{"ns", "reading them, checked, with every tick's inputs, ns a tick", 0}},
              [&](benchmark::State& state) { read_recording(state, suite); });
}

}  // namespace isotick::bench
