#include "probe_json.hpp"
#include "probes.hpp"
#include "snapshot_flips.hpp"

#include <isotick/core/memory_map.hpp>
#include <isotick/core/random.hpp>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <utility>

namespace isotick::harness {
namespace {

using core::Result;
using Wire = nlohmann::json;

constexpr std::size_t kValues = 4;  // of each class of paths

/// Changes bits of values where they are in memory, and puts them back.
class MemoryFlips {
  public:
    MemoryFlips(Stage& stage, core::Simulation& simulation, FlipFacts& facts)
        : stage_(stage), simulation_(simulation), facts_(facts), random_(stage.plan().seed, 0) {}

    Result<void> run() {
        stage_.enter(Activity::visiting, facts_.at);
        const auto map = core::map_memory(simulation_, {.samples = kValues, .objects = 2});
        if (!map) {
            return tl::unexpected(map.error());
        }
        for (const core::MemoryPathClass& one : map->paths) {
            FlippedClass flipped{one.path, 0, 0, false};
            for (const core::MemoryPlace& place : one.samples) {
                if (auto tried = flip(place, flipped); !tried) {
                    return tried;
                }
            }
            if (flipped.tried != 0) {
                facts_.classes.push_back(std::move(flipped));
            }
        }
        return {};
    }

  private:
    Result<void> flip(const core::MemoryPlace& place, FlippedClass& flipped) {
        if (place.size == 0 || is_any_nan(place)) {
            return {};
        }
        const auto size = static_cast<std::uint32_t>(std::min<std::uint64_t>(place.size, 1U << 30));
        std::byte& byte = place.address[random_.below(size)];
        const std::byte mask = std::byte{1} << random_.below(8);
        const auto before = stage_.hash(simulation_, facts_.at);
        byte ^= mask;
        const auto changed = stage_.hash(simulation_, facts_.at);
        byte ^= mask;
        const auto after = stage_.hash(simulation_, facts_.at);
        if (!before || !changed || !after) {
            return tl::unexpected((!before ? before : !changed ? changed : after).error());
        }
        ++flipped.tried;
        flipped.unseen += *before == *changed ? 1U : 0U;
        flipped.sticky = flipped.sticky || *before != *after;
        return {};
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
    core::Pcg32 random_;
};

}  // namespace

void probe_flip(Stage& stage, ProbeResult& result) {
    FlipFacts& facts = result.flips;
    facts.at = stage.plan().at.front();
    if (stage.can_tamper_with_memory()) {
        const SceneEnd end = stage.play(facts.at, Tampering::yes, [&](Stage::Instance& original) {
            return MemoryFlips(stage, *original, facts).run().map([&] { return Wire(facts); });
        });
        facts.crashed = !end.answer;
        if (end.answer) {
            end.answer->get_to(facts);
        }
    }
    if (stage.can(ISOTICK_CAN_SAVE) && !stage.can(ISOTICK_OWN_THREADS)) {
        const SceneEnd end = stage.play(facts.at, Tampering::yes, [&](Stage::Instance& original) {
            return flip_snapshot(stage, original, stage.plan().seed, facts).map([&] {
                return Wire(facts);
            });
        });
        facts.crashed = facts.crashed || !end.answer;
        if (end.answer) {
            end.answer->get_to(facts);
        }
    }
}

}  // namespace isotick::harness
