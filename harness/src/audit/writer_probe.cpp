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

constexpr std::uint64_t kLooksInARun = 128;    // at a range, in one run
constexpr std::uint64_t kMostWrites = 32'768;  // to a range, in one tick
constexpr std::uint64_t kTrapsAtMost = 2 * kMostWrites;

// Where the values at a path are, in all elements of the containers that it leads through.
class PathPlaces {
  public:
    explicit PathPlaces(std::string_view path) : path_(path) {}

    isotick_memory_visitor visitor() {
        return {this,
                [](void*, const char*, void*, std::uint64_t) -> std::int32_t { return ISOTICK_OK; },
                [](void*) -> std::int32_t { return ISOTICK_OK; },
                [](void* context, const char* path, void* address, std::uint64_t size,
                   std::uint32_t settable) -> std::int32_t {
                    static_cast<PathPlaces*>(context)->take(path, address, size, settable);
                    return ISOTICK_OK;
                }};
    }

    std::vector<WatchedMemory> found;

  private:
    void take(const char* path, void* address, std::uint64_t size, std::uint32_t settable) {
        if (settable == 1 && address != nullptr && is_within(path, path_)) {
            found.push_back({static_cast<std::byte*>(address), size});
        }
    }

    std::string_view path_;
};

Result<std::vector<WatchedMemory>> places_of_path(Stage& stage, core::Simulation& simulation,
                                                  const std::string& path, std::uint64_t done) {
    PathPlaces places(path);
    stage.enter(Activity::visiting, done);
    return simulation.visit_memory(places.visitor()).map([&] { return std::move(places.found); });
}

/// Looks for the last tick before a state in which a range changes, then watches that tick.
class WriterSearch {
  public:
    /// `of` says what is looked for.
    WriterSearch(Stage& stage, WriterFacts of) : stage_(stage), facts_(std::move(of)) {}

    /// Without call stack where no tick was seen to change it.
    WriterFacts find(std::uint64_t at) {
        std::uint64_t begin = 0;
        std::uint64_t end = at;
        while (end > begin) {
            const std::uint64_t stride = (end - begin - 1) / kLooksInARun + 1;
            const auto changed = stage_.play(begin, Tampering::no, [&](Stage::Instance& original) {
                return last_change(*original, begin, end, stride);
            });
            if (changed.value_or(0) == 0) {
                break;
            }
            end = *changed;
            begin = std::max(begin, end - std::min(end, stride));
            if (stride == 1) {
                return watch(begin);
            }
        }
        return facts_;
    }

  private:
    // How many ticks are done at the last look that finds other bytes than the one before; 0: none.
    Result<std::uint64_t> last_change(core::Simulation& simulation, std::uint64_t begin,
                                      std::uint64_t end, std::uint64_t stride) {
        std::uint64_t changed = 0;
        ISOTICK_TRY_ASSIGN(Bytes before, bytes(simulation, begin));
        for (std::uint64_t done = begin; done < end;) {
            const std::uint64_t next = std::min(done + stride, end);
            ISOTICK_TRY(stage_.advance(simulation, done, next));
            ISOTICK_TRY_ASSIGN(Bytes after, bytes(simulation, next));
            changed = after.size() == before.size() && after != before ? next : changed;
            before = std::move(after);
            done = next;
        }
        return changed;
    }

    Result<Bytes> bytes(core::Simulation& simulation, std::uint64_t done) {
        return places(simulation, done).map([](const std::vector<WatchedMemory>& found) {
            Bytes bytes;
            for (const WatchedMemory& place : found) {
                bytes.insert(bytes.end(), place.address, place.address + place.size);
            }
            return bytes;
        });
    }

    // Watches once to count the writes, then for the code that makes the last of them.
    WriterFacts watch(std::uint64_t tick) {
        facts_.tick = tick;
        const auto last = stage_.play(tick, Tampering::yes, [&](Stage::Instance& original) {
            return number_of_last(*original);
        });
        if (!last || *last == 0) {
            return facts_;
        }
        return stage_
            .play(tick, Tampering::yes,
                  [&](Stage::Instance& original) { return note(*original, *last); })
            .value_or(facts_);
    }

    // From 1, and not what the heap writes to objects that are gone. 0: there is none.
    Result<std::uint64_t> number_of_last(core::Simulation& simulation) {
        ISOTICK_TRY_ASSIGN(const auto before, places(simulation, facts_.tick));
        ISOTICK_TRY_ASSIGN(const auto seen,
                           step_watched(simulation, before, {kMostWrites, 0, kTrapsAtMost}));
        ISOTICK_TRY_ASSIGN(const auto after, places(simulation, facts_.tick + 1));
        std::uint64_t last = seen.cut ? 0 : seen.writes.size();
        while (last > 0 && std::ranges::find(after, before[seen.writes[last - 1].place].address,
                                             &WatchedMemory::address) == after.end()) {
            --last;
        }
        return last;
    }

    Result<WriterFacts> note(core::Simulation& simulation, std::uint64_t last) {
        ISOTICK_TRY_ASSIGN(const auto watched, places(simulation, facts_.tick));
        ISOTICK_TRY_ASSIGN(const auto seen,
                           step_watched(simulation, watched, {last, 1, kTrapsAtMost}));
        if (!seen.sites.empty()) {
            facts_.sites = seen.sites.back();
        }
        return facts_;
    }

    Result<std::vector<WatchedMemory>> places(core::Simulation& simulation, std::uint64_t done) {
        if (!facts_.path.empty()) {
            return places_of_path(stage_, simulation, facts_.path, done);
        }
        return ObjectMemory::find(stage_, simulation, facts_.range, done)
            .map([](const ObjectMemory& memory) { return memory.watched(); });
    }

    Result<WrittenMemory> step_watched(core::Simulation& simulation,
                                       const std::vector<WatchedMemory>& watched,
                                       const WatchLimits& limits) {
        const std::atomic<std::uint32_t> no_tag{0};
        WriteWatch watch(watched, limits, no_tag);
        ISOTICK_TRY(stage_.step(simulation, facts_.tick));
        return watch.end();
    }

    Stage& stage_;
    WriterFacts facts_;
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
    for (WriterFacts& of : wanted) {
        result.writers.push_back(WriterSearch(stage, std::move(of)).find(plan.at.front()));
    }
}

}  // namespace isotick::harness
