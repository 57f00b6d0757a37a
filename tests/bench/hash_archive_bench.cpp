// The hash archive against XXH3 in one call over the same bytes, and against cereal's binary
// archive into memory.

#include "plain_xxh3.hpp"
#include "process.hpp"
#include "suite.hpp"

#include <isotick/core/hash_archive.hpp>
#include <isotick/core/visitor.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <iterator>
#include <map>
#include <sstream>
#include <string>

#include <cereal/archives/binary.hpp>
#include <cereal/types/map.hpp>
#include <cereal/types/string.hpp>
#include <cereal/types/vector.hpp>

namespace isotick::bench {

struct Body {
    float x = 0;
    float y = 0;
    float angle = 0;
    std::uint32_t flags = 0;
    template <class Archive>
    void serialize(Archive& archive) {
        archive(CEREAL_NVP(x), CEREAL_NVP(y), CEREAL_NVP(angle), CEREAL_NVP(flags));
    }
};

}  // namespace isotick::bench

ISOTICK_CONTIGUOUS(isotick::bench::Body);

namespace isotick::bench {
namespace {

struct Wounds {
    std::int16_t health = 100;
    bool poisoned = false;
    double since = 0;
    template <class Archive>
    void serialize(Archive& archive) {
        archive(CEREAL_NVP(health), CEREAL_NVP(poisoned), CEREAL_NVP(since));
    }
};

struct Unit {
    std::uint32_t id = 0;
    Body body;
    Wounds wounds;
    std::string name;
    std::map<std::uint16_t, std::int32_t> stock;
    std::uint8_t kind = 0;
    template <class Archive>
    void serialize(Archive& archive) {
        archive(CEREAL_NVP(id), CEREAL_NVP(body), CEREAL_NVP(wounds), CEREAL_NVP(name),
                CEREAL_NVP(stock), CEREAL_NVP(kind));
    }
};

template <class T>
struct Many {
    std::vector<T> all;
    template <class Archive>
    void serialize(Archive& archive) {
        archive(CEREAL_NVP(all));
    }
};

template <class Run>
double seconds_of(std::uint64_t repeats, const Run& run) {
    const double begin = own_cpu_seconds();
    for (std::uint64_t i = 0; i < repeats; ++i) {
        run();
    }
    return own_cpu_seconds() - begin;
}

// How many times as fast as `base` `other` is: the median over turns in which each runs first in
// half of the cases.
template <class Base, class Other>
double times_as_fast(std::uint64_t turns, std::uint64_t repeats, const Base& base,
                     const Other& other) {
    seconds_of(1, base);
    seconds_of(1, other);
    std::vector<double> ratios;
    for (std::uint64_t turn = 0; turn < turns; ++turn) {
        double base_seconds = 0;
        double other_seconds = 0;
        if (turn % 2 == 0) {
            base_seconds = seconds_of(repeats, base);
            other_seconds = seconds_of(repeats, other);
        } else {
            other_seconds = seconds_of(repeats, other);
            base_seconds = seconds_of(repeats, base);
        }
        ratios.push_back(base_seconds / std::max(other_seconds, 1e-9));
    }
    return median(std::move(ratios));
}

template <class T>
void hash_pieces(benchmark::UserCounters& counters, std::size_t bytes, std::uint64_t turns) {
    Many<T> state;
    state.all.resize(bytes / sizeof(T));
    const auto memory = std::as_bytes(std::span(state.all));
    const std::uint64_t repeats = std::max<std::uint64_t>(1, (std::uint64_t{64} << 20) / bytes);
    core::HashSink sink;
    counters["ratio"] = times_as_fast(
        turns, turns == 1 ? 1 : repeats,
        [&] { benchmark::DoNotOptimize(core::hash_bytes(memory)); },
        [&] {
            core::hash_state(state, sink);
            benchmark::DoNotOptimize(sink.parts().front().hash.value);
        });
}

// Structs as visitor.h hashes them, described once.
void hash_visited(benchmark::UserCounters& counters, std::size_t bytes, std::uint64_t turns) {
    static const isotick_member kBody[] = {
        ISOTICK_MEMBER(Body, x, f32), ISOTICK_MEMBER(Body, y, f32),
        ISOTICK_MEMBER(Body, angle, f32), ISOTICK_MEMBER(Body, flags, u32)};
    std::vector<Body> bodies(bytes / sizeof(Body));
    const std::uint64_t repeats = std::max<std::uint64_t>(1, (std::uint64_t{64} << 20) / bytes);
    counters["ratio"] = times_as_fast(
        turns, turns == 1 ? 1 : repeats,
        [&] { benchmark::DoNotOptimize(plain_xxh3(std::as_bytes(std::span(bodies)))); },
        [&] {
            isotick_visitor v;
            isotick_part part;
            std::uint32_t count = 0;
            isotick_begin_hash(&v, &part, 1, nullptr, nullptr);
            isotick_structs(&v, "bodies", bodies.data(), bodies.size(), sizeof(Body), kBody,
                            std::size(kBody));
            isotick_end_hash(&v, &count);
            benchmark::DoNotOptimize(part.hash);
        });
}

Many<Unit> make_units(std::size_t count) {
    Many<Unit> state;
    state.all.resize(count);
    for (std::size_t i = 0; i < count; ++i) {
        Unit& unit = state.all[i];
        unit.id = static_cast<std::uint32_t>(i);
        unit.body.x = static_cast<float>(i);
        unit.name = "unit number " + std::to_string(i);
        for (std::uint16_t item = 0; item < i % 5; ++item) {
            unit.stock[item] = static_cast<std::int32_t>(i);
        }
    }
    return state;
}

void hash_units(benchmark::UserCounters& counters, std::size_t count, std::uint64_t turns) {
    const Many<Unit> state = make_units(count);
    core::HashSink sink;
    counters["ratio"] = times_as_fast(
        turns, 1,
        [&] {
            std::ostringstream stream;
            cereal::BinaryOutputArchive archive(stream);
            archive(state);
            const std::string bytes = stream.str();
            benchmark::DoNotOptimize(core::hash_bytes(std::as_bytes(std::span(bytes))));
        },
        [&] {
            core::hash_state(state, sink);
            benchmark::DoNotOptimize(sink.parts().front().hash.value);
        });
}

template <class T>
void add_pieces(Suite& suite, const std::string& type) {
    constexpr std::array<std::size_t, 4> kSizesKib{64, 1024, 8192, 65536};
    for (const std::size_t kib : kSizesKib) {
        const std::string size =
            kib < 1024 ? std::to_string(kib) + " KiB" : std::to_string(kib / 1024) + " MiB";
        suite.add_once("hash_archive/" + type + "/" + std::to_string(kib),
                       {{"ratio", "hash archive, vector of " + type + ", " + size + ", of XXH3", 2,
                         at_least(0.9)}},
                       [&suite, kib](benchmark::UserCounters& counters) {
                           hash_pieces<T>(counters, suite.sized(kib, 64) * 1024,
                                          suite.sized(31, 1));
                       });
    }
}

}  // namespace

void add_hash_archive_benchmarks(Suite& suite) {
    add_pieces<float>(suite, "floats");
    add_pieces<Body>(suite, "marked structs");
    suite.add_once(
        "hash_archive/visited",
        {{"ratio", "structs described once in C, 56 KB, of XXH3 without AVX", 2, at_least(0.67)}},
        [&suite](benchmark::UserCounters& counters) {
            hash_visited(counters, suite.sized(56'000, 1'600), suite.sized(31, 1));
        });
    suite.add_once(
        "hash_archive/units",
        {{"ratio", "hash archive, 100 k nested structs, of cereal binary + XXH3", 1, at_least(3)}},
        [&suite](benchmark::UserCounters& counters) {
            hash_units(counters, suite.sized(100'000, 100), suite.sized(21, 1));
        });
}

}  // namespace isotick::bench
