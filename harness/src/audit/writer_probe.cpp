// Finds the code that last changed memory which a snapshot does not restore.

#include "../run/state_writes.hpp"
#include "object_memory.hpp"
#include "probe.hpp"
#include "scene_answers.hpp"

#include <isotick/core/detail/try.hpp>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

namespace isotick::harness {
namespace {

using core::Result;

constexpr std::uint64_t kMostWrites = 32'768;  // to a range, in one tick
constexpr std::uint64_t kTrapsAtMost = 2 * kMostWrites;

using Places = std::vector<WatchedMemory>;

// Where the values are at one path, in all elements of the containers that it leads through.
struct PathPlaces {
    std::string_view path;
    Places found;

    // Not what lies within the value there: a container's elements may come and go.
    void take(std::string_view shown, void* address, std::uint64_t size, std::uint32_t settable) {
        if (settable == 1 && address != nullptr && is_within(shown, path) &&
            is_within(path, shown)) {
            found.push_back({static_cast<std::byte*>(address), size});
        }
    }
};

Result<Places> places_of_path(Stage& stage, core::Simulation& simulation, const std::string& path,
                              std::uint64_t done) {
    PathPlaces places{path, {}};
    const auto visitor = visitor_of_values(
        &places,
        [](void* context, const char* shown, void* address, std::uint64_t size,
           std::uint32_t settable) -> std::int32_t {
            static_cast<PathPlaces*>(context)->take(shown, address, size, settable);
            return ISOTICK_OK;
        });
    stage.enter(Activity::visiting, done);
    return simulation.visit_memory(visitor).map([&] { return std::move(places.found); });
}

bool are_same(const Places& a, const Places& b) {
    return std::ranges::equal(a, b, [](const WatchedMemory& one, const WatchedMemory& other) {
        return one.address == other.address && one.size == other.size;
    });
}

/// Looks for the last tick before a state that changes some memory, then watches that tick.
class WriterSearch {
  public:
    /// `wanted` says what is looked for.
    WriterSearch(Stage& stage, std::vector<WriterFacts> wanted)
        : stage_(stage), wanted_(std::move(wanted)) {
        for (const WriterFacts& one : wanted_) {
            if (one.path.empty()) {
                ranges_.push_back(one.range);
            }
        }
    }

    /// Without call stack where no tick was seen to change it.
    std::vector<WriterFacts> find(std::uint64_t at) {
        const auto changed = stage_.play(0, Tampering::no, [&](Stage::Instance& original) {
            return last_changes(*original, at);
        });
        for (std::size_t i = 0; changed && i < wanted_.size(); ++i) {
            if (const std::uint64_t done = changed->at(i); done > 0) {
                wanted_[i] = watch(std::move(wanted_[i]), done - 1);
            }
        }
        return std::move(wanted_);
    }

  private:
    // For each, how many ticks are done after the last that changes it; 0: there is none.
    Result<std::vector<std::uint64_t>> last_changes(core::Simulation& simulation,
                                                    std::uint64_t at) {
        std::vector<std::uint64_t> changed(wanted_.size());
        ISOTICK_TRY_ASSIGN(std::vector<Bytes> before, look(simulation, 0));
        for (std::uint64_t done = 1; done <= at; ++done) {
            ISOTICK_TRY(stage_.step(simulation, done - 1));
            ISOTICK_TRY_ASSIGN(std::vector<Bytes> after, look(simulation, done));
            for (std::size_t i = 0; i < wanted_.size(); ++i) {
                changed[i] = after[i] != before[i] ? done : changed[i];
            }
            before = std::move(after);
        }
        return changed;
    }

    // The bytes of each, in the same order: ranges come first.
    Result<std::vector<Bytes>> look(core::Simulation& simulation, std::uint64_t done) {
        std::vector<Bytes> all;
        ISOTICK_TRY_ASSIGN(const auto memories,
                           ObjectMemory::find(stage_, simulation, ranges_, done));
        for (const ObjectMemory& memory : memories) {
            all.push_back(memory.read());
        }
        for (std::size_t i = all.size(); i < wanted_.size(); ++i) {
            ISOTICK_TRY_ASSIGN(const auto found, places(simulation, wanted_[i], done));
            Bytes& bytes = all.emplace_back();
            for (const WatchedMemory& place : found) {
                bytes.insert(bytes.end(), place.address, place.address + place.size);
            }
        }
        return all;
    }

    // Watches once to count the writes, then for the code that makes the last of them.
    WriterFacts watch(WriterFacts facts, std::uint64_t tick) {
        facts.tick = tick;
        const auto last = stage_.play(tick, Tampering::yes, [&](Stage::Instance& original) {
            return number_of_last(*original, facts);
        });
        if (!last || *last == 0) {
            return facts;
        }
        return stage_
            .play(tick, Tampering::yes,
                  [&](Stage::Instance& original) { return note(*original, facts, *last); })
            .value_or(facts);
    }

    // From 1; 0: it is not known. If objects came, went or moved, there were writes elsewhere.
    Result<std::uint64_t> number_of_last(core::Simulation& simulation, const WriterFacts& of) {
        ISOTICK_TRY_ASSIGN(const auto before, places(simulation, of, of.tick));
        ISOTICK_TRY_ASSIGN(const auto seen, step_watched(simulation, of.tick, before,
                                                         {kMostWrites, 0, kTrapsAtMost}));
        ISOTICK_TRY_ASSIGN(const auto after, places(simulation, of, of.tick + 1));
        return seen.cut || !are_same(before, after) ? 0 : seen.writes.size();
    }

    Result<WriterFacts> note(core::Simulation& simulation, WriterFacts facts, std::uint64_t last) {
        ISOTICK_TRY_ASSIGN(const auto watched, places(simulation, facts, facts.tick));
        ISOTICK_TRY_ASSIGN(const auto seen,
                           step_watched(simulation, facts.tick, watched, {last, 1, kTrapsAtMost}));
        if (!seen.sites.empty()) {
            facts.sites = seen.sites.back();
        }
        return facts;
    }

    Result<Places> places(core::Simulation& simulation, const WriterFacts& of, std::uint64_t done) {
        if (!of.path.empty()) {
            return places_of_path(stage_, simulation, of.path, done);
        }
        return ObjectMemory::find(stage_, simulation, of.range, done)
            .map([](const ObjectMemory& memory) { return memory.watched(); });
    }

    Result<WrittenMemory> step_watched(core::Simulation& simulation, std::uint64_t tick,
                                       const Places& watched, const WatchLimits& limits) {
        const std::atomic<std::uint32_t> no_tag{0};
        WriteWatch watch(watched, limits, no_tag);
        ISOTICK_TRY(stage_.step(simulation, tick));
        return watch.end();
    }

    Stage& stage_;
    std::vector<WriterFacts> wanted_;  // first those with ranges
    std::vector<MemoryRange> ranges_;
};

}  // namespace

void probe_writer(Stage& stage, ProbeResult& result) {
    if (!stage.can_tamper_with_memory() || !WriteWatch::is_possible()) {
        return;
    }
    const ProbePlan& plan = stage.plan();
    std::vector<WriterFacts> wanted;
    for (const MemoryRange& range : plan.ranges) {
        wanted.push_back({range, {}, 0, {}});
    }
    for (const std::string& path : plan.paths) {
        wanted.push_back({{}, path, 0, {}});
    }
    result.writers = WriterSearch(stage, std::move(wanted)).find(plan.at.front());
}

}  // namespace isotick::harness
