// Snapshots against memcpy, and differences between fields against hashes.

#include "process.hpp"
#include "suite.hpp"

#include <isotick/core/detail/contiguous.hpp>
#include <isotick/core/detail/field_difference.hpp>
#include <isotick/core/hash_archive.hpp>
#include <isotick/core/snapshot.hpp>

#include <algorithm>
#include <array>
#include <cstring>
#include <stdexcept>

#include <cereal/types/vector.hpp>

namespace isotick::bench {
namespace {

// Nine of ten times a state is something like this.
struct Particle {
    float x = 0;
    float y = 0;
    std::int32_t health = 0;
    template <class Archive>
    void serialize(Archive& archive) {
        archive(CEREAL_NVP(x), CEREAL_NVP(y), CEREAL_NVP(health));
    }
};
struct MarkedBody : Particle {};

}  // namespace
}  // namespace isotick::bench

ISOTICK_CONTIGUOUS(isotick::bench::MarkedBody);

namespace isotick::bench {
namespace {

template <class T>
struct Numbers {
    std::vector<T> bodies;
    template <class Archive>
    void serialize(Archive& archive) {
        archive(CEREAL_NVP(bodies));
    }
};

using Bytes = std::vector<std::byte>;

isotick_sink into(Bytes& bytes) {
    const auto write = [](void* context, const void* data, std::uint64_t size) -> std::int32_t {
        const auto* first = static_cast<const std::byte*>(data);
        auto& collected = *static_cast<Bytes*>(context);
        collected.insert(collected.end(), first, first + size);
        return ISOTICK_OK;
    };
    return {&bytes, write};
}

template <class Body>
double seconds(const Body& body) {
    const double begin = own_cpu_seconds();
    body();
    return own_cpu_seconds() - begin;
}

// Saves and loads `bytes` of state, and copies them there and back, in turns.
template <class T>
void snapshot_against_memcpy(benchmark::UserCounters& counters, std::size_t bytes,
                             std::uint64_t turns) {
    Numbers<T> state{std::vector<T>(bytes / sizeof(T))};
    const core::Shape shape = core::shape_of(state);
    Bytes snapshot;
    Bytes copy(bytes);
    std::vector<double> ratios;
    core::save_snapshot(state, shape, into(snapshot));
    for (std::uint64_t turn = 0; turn < turns; ++turn) {
        const double copying = seconds([&] {
            std::memcpy(copy.data(), state.bodies.data(), bytes);
            benchmark::ClobberMemory();
            std::memcpy(static_cast<void*>(state.bodies.data()), copy.data(), bytes);
            benchmark::ClobberMemory();
        });
        const double snapshotting = seconds([&] {
            snapshot.clear();
            core::save_snapshot(state, shape, into(snapshot));
            core::load_snapshot(state, shape, snapshot);
        });
        ratios.push_back(copying / snapshotting);
    }
    counters["ratio"] = median(ratios);
}

// Ten of a million fields differ; one state is at hand as a field stream, the other one is live.
template <class T>
void difference_against_hashes(benchmark::UserCounters& counters, std::size_t fields,
                               std::uint64_t turns) {
    Numbers<T> before{std::vector<T>(fields / 3)};
    Numbers<T> after = before;
    for (std::size_t i = 0; i < 10; ++i) {
        after.bodies[(2 * i + 1) * after.bodies.size() / 20].y = 1.0F;
    }
    std::vector<double> ratios;
    double memory = 0;
    for (std::uint64_t turn = 0; turn < turns; ++turn) {
        core::HashSink sink;
        const double hashing = seconds([&] {
            core::hash_state(before, sink);
            core::hash_state(after, sink);
        });
        Bytes stream;
        core::write_fields(before, into(stream));
        const double comparing = seconds([&] {
            core::FieldComparison comparison(stream);
            core::write_fields(after, comparison.sink());
            const auto found = comparison.finish(100);
            if (!found || found->total != 10) {
                throw std::runtime_error("ten differences were planted");
            }
            memory = static_cast<double>(stream.size() + comparison.kept());
        });
        ratios.push_back(comparing / hashing);
    }
    counters["times"] = median(ratios);
    counters["memory"] = memory / static_cast<double>(before.bodies.size() * sizeof(T));
}

}  // namespace

void add_state_benchmarks(Suite& suite) {
    for (const std::size_t kib : {std::size_t{64}, std::size_t{1024}, std::size_t{65536}}) {
        const std::string size = std::to_string(kib) + " KiB";
        suite.add_once("snapshot/" + std::to_string(kib),
                       {{"ratio", "saving and loading " + size + ", part of memcpy's speed", 2,
                         at_least(0.5)}},
                       [&suite, kib](benchmark::UserCounters& counters) {
                           snapshot_against_memcpy<MarkedBody>(
                               counters, kib * 1024 / sizeof(MarkedBody) * sizeof(MarkedBody),
                               suite.sized(std::max<std::size_t>(20, 100'000 / kib), 1));
                       });
    }
    suite.add_once(
        "difference",
        {{"times", "10 differences in 1,000,000 fields, in times of two hashes", 1, at_most(5)},
         {"memory", "of that, memory, in sizes of a state", 2, at_most(2)}},
        [&suite](benchmark::UserCounters& counters) {
            difference_against_hashes<Particle>(counters, suite.sized(1'000'000, 3000),
                                                suite.sized(11, 1));
        });
}

}  // namespace isotick::bench
