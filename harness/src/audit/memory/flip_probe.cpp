#include "../probes/probes.hpp"
#include "../probes/scene_answers.hpp"
#include "../snapshots/snapshot_flips.hpp"
#include "flip_batch.hpp"

#include <isotick/core/detail/memory_map.hpp>
#include <isotick/core/detail/try.hpp>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <utility>

namespace isotick::harness {
namespace {

using core::Result;

constexpr std::size_t kValues = 4;  // of each class of paths

struct Value {
    std::string path;
    core::MemoryPlace place;
};

// The same values, in the same order, in every copy of the same state.
Result<std::vector<Value>> values_in(Stage& stage, core::Simulation& simulation, std::uint64_t at) {
    stage.enter(Activity::visiting, at);
    ISOTICK_TRY_ASSIGN(const auto map,
                       core::map_memory(simulation, {.samples = kValues, .objects = 2}));
    std::vector<Value> values;
    for (const core::MemoryPathClass& one : map.paths) {
        for (const core::MemoryPlace& place : one.samples) {
            if (place.size != 0) {
                values.push_back({one.path, place});
            }
        }
    }
    return values;
}

/// Changes bits of values where they are in memory, and puts them back.
class MemoryFlips {
  public:
    MemoryFlips(Stage& stage, core::Simulation& simulation, FlipFacts& facts)
        : stage_(stage), simulation_(simulation), facts_(facts) {}

    Result<void> flip(std::size_t from, std::size_t to, std::atomic<std::size_t>& current) {
        ISOTICK_TRY_ASSIGN(const auto values, values_in(stage_, simulation_, facts_.at));
        for (std::size_t number = from; number < std::min(to, values.size()); ++number) {
            current = number;
            ISOTICK_TRY(flip(values[number], number));
        }
        return {};
    }

  private:
    Result<void> flip(const Value& value, std::size_t number) {
        if (is_any_nan(value.place)) {
            return {};
        }
        const DrawnBit drawn = draw_bit(stage_.plan().seed, number, value.place.size);
        std::byte& byte = value.place.address[drawn.byte];
        const std::byte mask = std::byte{1} << drawn.bit;
        const auto before = stage_.hash(simulation_, facts_.at);
        byte ^= mask;
        const auto changed = stage_.hash(simulation_, facts_.at);
        byte ^= mask;
        const auto after = stage_.hash(simulation_, facts_.at);
        if (!before || !changed || !after) {
            return tl::unexpected((!before ? before : !changed ? changed : after).error());
        }
        FlippedClass& flipped = class_of(value.path);
        ++flipped.tried;
        flipped.unseen += *before == *changed ? 1U : 0U;
        flipped.sticky = flipped.sticky || *before != *after;
        return {};
    }

    FlippedClass& class_of(const std::string& path) {
        if (facts_.classes.empty() || facts_.classes.back().path != path) {
            facts_.classes.push_back({path, 0, 0, false});
        }
        return facts_.classes.back();
    }

    // Where all NaNs count as one, a bit of one need not matter.
    [[nodiscard]] bool is_any_nan(const core::MemoryPlace& place) const {
        if (stage_.session().head().nan_policy != "one") {
            return false;
        }
        if (place.size == sizeof(float)) {
            float value = 0;
            std::memcpy(&value, place.address, sizeof value);
            return std::isnan(value);
        }
        double value = 0;
        if (place.size == sizeof value) {
            std::memcpy(&value, place.address, sizeof value);
        }
        return std::isnan(value);
    }

    Stage& stage_;
    core::Simulation& simulation_;
    FlipFacts& facts_;
};

void flip_memory(Stage& stage, FlipFacts& facts) {
    const auto played = stage.play(facts.at, Tampering::no, [&](Stage::Instance& original) {
        return values_in(stage, *original, facts.at).map([](const std::vector<Value>& found) {
            std::vector<FoundValue> all;
            for (const Value& value : found) {
                all.push_back({value.path, value.place.size});
            }
            return all;
        });
    });
    const auto values = played.value_or(std::vector<FoundValue>());
    const FlipBatch batch{values.size(),
                          [&](Stage::Instance& original, std::size_t from, std::size_t to,
                              std::atomic<std::size_t>& current, FlipFacts& some) {
                              return MemoryFlips(stage, *original, some).flip(from, to, current);
                          },
                          [&](std::size_t number) {
                              const auto& [path, size] = values[number];
                              const DrawnBit drawn = draw_bit(stage.plan().seed, number, size);
                              return "bit " + std::to_string(drawn.bit) + " of byte " +
                                     std::to_string(drawn.byte) + " of " + path;
                          }};
    flip_all(stage, batch, facts);
}

}  // namespace

void probe_flip(Stage& stage, ProbeResult& result) {
    FlipFacts& facts = result.flips;
    facts.at = stage.plan().at.front();
    if (stage.can(ISOTICK_HAS_MEMORY) && stage.can_tamper()) {
        flip_memory(stage, facts);
    }
    if (stage.can(ISOTICK_CAN_SAVE) && stage.can_tamper()) {
        flip_snapshot(stage, facts);
    }
}

}  // namespace isotick::harness
