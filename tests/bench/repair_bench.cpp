// Repairing a long recording: memory that does not grow with it, and how long it takes.

#include "process.hpp"
#include "suite.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <stdexcept>

#include <replay/fake_session.hpp>

namespace isotick::bench {
namespace {

constexpr double kGigabyte = 1e9;

/// 64 parts, each with a hash at every tick: some 530 bytes a tick.
replay::FakeSession many_hashes(std::uint64_t ticks) {
    replay::FakeSession session;
    session.ticks = ticks;
    session.head.session.players = 2;
    session.head.parts_every = 1;
    session.set_parts(64);
    session.input = replay::pad_input;
    return session;
}

void damage_middle(const std::string& path) {
    std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(static_cast<std::streamoff>(std::filesystem::file_size(path) / 2));
    file.write("damaged", 7);
    if (!file.flush()) {
        throw std::runtime_error("cannot damage " + path);
    }
}

void measure_repair(benchmark::UserCounters& counters, const Suite& suite) {
    const std::string path = suite.file("long.isotick");
    const std::string out = suite.file("out.isotick");
    const auto session = many_hashes(suite.sized(1'950'000, 2'000));
    const std::string last_ticks = std::to_string(session.ticks * 9 / 10) + "..";
    if (const auto recorded = session.record(path); !recorded) {
        throw std::runtime_error(describe(recorded.error()));
    }
    const double gigabytes = static_cast<double>(std::filesystem::file_size(path)) / kGigabyte;
    const Cost intact = run(isotick_command({"repair", path, "-o", out}));
    damage_middle(path);
    const Cost damaged = run(isotick_command({"repair", path, "-o", out, "--force"}), 0);
    counters["size"] = gigabytes;
    counters["intact_mib"] = intact.most_resident_mib;
    counters["intact_s"] = intact.cpu_seconds;
    counters["damaged_mib"] = damaged.most_resident_mib;
    counters["damaged_s"] = damaged.cpu_seconds;
    counters["ticks_mib"] =
        run(isotick_command({"inspect", path, "--ticks", last_ticks})).most_resident_mib;
    for (const auto& left :
         std::filesystem::directory_iterator(std::filesystem::path(path).parent_path())) {
        std::filesystem::remove(left.path());
    }
}

}  // namespace

void add_repair_benchmarks(Suite& suite) {
    suite.add_once(
        "repair",
        {{"size", "a long recording, GB", 2},
         {"intact_mib", "isotick repair of it, MiB resident", 1, at_most(32)},
         {"intact_s", "the same, s of CPU time", 2},
         {"damaged_mib", "the same, damaged, MiB resident", 1, at_most(32)},
         {"damaged_s", "the same, s of CPU time", 2},
         {"ticks_mib", "isotick inspect --ticks of its last tenth, MiB resident", 1, at_most(32)}},
        [&](benchmark::UserCounters& counters) { measure_repair(counters, suite); });
}

}  // namespace isotick::bench
