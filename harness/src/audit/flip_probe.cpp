// Flips bits of the state and of snapshots, and sees which change the hash.

#include "../system/channel.hpp"
#include "future.hpp"
#include "probe.hpp"
#include "scene_answers.hpp"
#include "stage.hpp"

#include <isotick/core/detail/field_difference.hpp>
#include <isotick/core/detail/memory_map.hpp>
#include <isotick/core/detail/try.hpp>
#include <isotick/core/random.hpp>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstddef>
#include <cstring>
#include <functional>
#include <string>
#include <utility>

namespace isotick::harness {

// Single bits, changed one after the other in copies of the process, some of which break.

/// Bits that can be changed, by number.
struct FlipBatch {
    std::size_t count = 0;
    /// Changes bits `from` to before `to` in a copy, keeps the number of each in `current` before
    /// it does, and adds to the facts, which are empty.
    std::function<core::Result<void>(Stage::Instance& original, std::size_t from, std::size_t to,
                                     std::atomic<std::size_t>& current, FlipFacts& facts)>
        flip;
    std::function<std::string(std::size_t number)> name;  ///< `bit 3 of byte 17 of the snapshot`
};

/// Changes all of them. Those that break a copy are told, and the others measured all the same; but
/// after a few of the first, which may hang, no more are tried.
void flip_all(Stage& stage, const FlipBatch& batch, FlipFacts& facts);

/// One bit of `size` bytes, drawn for the bit of that number.
struct DrawnBit {
    std::uint64_t byte = 0;
    unsigned bit = 0;
};
[[nodiscard]] DrawnBit draw_bit(std::uint64_t seed, std::size_t number, std::uint64_t size);

namespace {

constexpr std::uint64_t kMostBroken = 8;  // each may have hung for long
constexpr std::size_t kMostBreaks = 4;
constexpr std::size_t kMostUnseen = 8;

// Classes are added up by path, the bits of a class being neighbors.
void add_flip(FlipFacts& facts, FlipFacts more) {
    for (FlippedClass& one : more.classes) {
        if (facts.classes.empty() || facts.classes.back().path != one.path) {
            facts.classes.push_back(std::move(one));
            continue;
        }
        FlippedClass& known = facts.classes.back();
        known.tried += one.tried;
        known.unseen += one.unseen;
        known.sticky = known.sticky || one.sticky;
    }
    facts.snapshot_tried += more.snapshot_tried;
    facts.snapshot_taken += more.snapshot_taken;
    facts.snapshot_idle += more.snapshot_idle;
    auto& unseen = facts.snapshot_unseen;
    for (std::string& what : more.snapshot_unseen) {
        if (unseen.size() < kMostUnseen && std::ranges::find(unseen, what) == unseen.end()) {
            unseen.push_back(std::move(what));
        }
    }
}

// None where no bit broke the copy.
std::optional<SceneEnd> flip_some(Stage& stage, const FlipBatch& batch, std::size_t from,
                                  std::size_t to, FlipFacts& facts,
                                  std::atomic<std::size_t>& current) {
    current = from;
    auto flipped = stage.play(facts.at, Tampering::yes, [&](Stage::Instance& original) {
        FlipFacts some;
        some.at = facts.at;
        return batch.flip(original, from, to, current, some).map([&] { return some; });
    });
    if (!flipped) {
        return std::move(flipped.error());
    }
    add_flip(facts, *std::move(flipped));
    return std::nullopt;
}

}  // namespace

void flip_all(Stage& stage, const FlipBatch& batch, FlipFacts& facts) {
    const auto shared = Shared<std::atomic<std::size_t>>::make();  // copies write it
    std::atomic<std::size_t>* const current = shared.get();
    std::uint64_t left = kMostBroken;
    for (std::size_t from = 0; current != nullptr && from < batch.count;) {
        const auto end = flip_some(stage, batch, from, batch.count, facts, *current);
        if (!end) {
            return;
        }
        const std::size_t broken = std::clamp<std::size_t>(*current, from, batch.count - 1);
        ++facts.broken;
        if (facts.breaks.size() < kMostBreaks) {
            facts.breaks.push_back({batch.name(broken), end->reason});
        }
        if (broken > from) {  // once more, to its end
            flip_some(stage, batch, from, broken, facts, *current);
        }
        if (--left == 0) {
            return;
        }
        from = broken + 1;
    }
}

DrawnBit draw_bit(std::uint64_t seed, std::size_t number, std::uint64_t size) {
    core::Pcg32 random(core::derive_seed(seed, {number}), 0);
    const auto most = static_cast<std::uint32_t>(std::min<std::uint64_t>(size, 1U << 30));
    const std::uint32_t byte = random.below(std::max(most, 1U));
    return {byte, random.below(8)};
}

// Single bits of a snapshot, changed: what load takes, the hash must see.

/// Fills in the `snapshot…` members, and what broke.
void flip_snapshot(Stage& stage, FlipFacts& facts);

namespace {

using core::Result;

constexpr std::size_t kSamples = 64;
constexpr std::uint64_t kDraw = 1;  // another than that of memory

/// Loads one changed snapshot after the other into an instance.
class SnapshotFlips {
  public:
    SnapshotFlips(Stage& stage, FlipFacts& facts) : stage_(stage), facts_(facts) {}

    /// Everything is held against what the untouched snapshot gives.
    Result<void> begin(Stage::Instance& original) {
        ISOTICK_TRY_ASSIGN(snapshot_, stage_.save(*original, facts_.at));
        original.reset();
        return load_anew().and_then([&] { return look(untouched_); });
    }

    Result<void> flip(DrawnBit drawn) {
        ++facts_.snapshot_tried;
        change(drawn);
        const bool loaded = stage_.load(*instance_, snapshot_, facts_.at).has_value();
        change(drawn);
        Look flipped;
        if (!loaded || !look(flipped)) {
            return renew();  // refused, which is as it should be
        }
        if (flipped.saved == untouched_.saved) {
            return {};  // nothing that counts
        }
        ++facts_.snapshot_taken;
        return stage_.differing(untouched_.row, flipped.row).empty() ? judge(drawn, flipped)
                                                                     : Result<void>();
    }

    [[nodiscard]] std::uint64_t size() const { return snapshot_.size(); }

  private:
    struct Look {
        Bytes saved;
        PartRow row;
        Bytes fields;
    };

    Result<void> renew() {
        instance_.reset();
        ISOTICK_TRY_ASSIGN(auto made, stage_.create());
        instance_.emplace(std::move(made));
        return {};
    }

    Result<void> look(Look& look) {
        ISOTICK_TRY_ASSIGN(look.saved, stage_.save(*instance_, facts_.at));
        ISOTICK_TRY_ASSIGN(look.row, stage_.hash(*instance_, facts_.at));
        if (stage_.can(ISOTICK_HAS_FIELDS)) {
            ISOTICK_TRY_ASSIGN(look.fields, stage_.fields(*instance_, facts_.at));
        }
        return {};
    }

    // What a field shows is state. What none shows is, where a tick to come depends on it: all
    // else may stand in a snapshot, padding in one that is a copy of a struct.
    Result<void> judge(DrawnBit drawn, const Look& flipped) {
        if (stage_.can(ISOTICK_HAS_FIELDS)) {
            const auto compared = core::compare_fields(untouched_.fields, flipped.fields, 1);
            if (compared && !compared->listed.empty()) {
                if (!is_another_nan(compared->listed.front())) {
                    facts_.snapshot_unseen.push_back(compared->listed.front().path);
                }
                return {};
            }
        }
        ISOTICK_TRY_ASSIGN(const auto matters, decides_the_future(drawn));
        if (!matters) {
            ++facts_.snapshot_idle;
        } else {
            facts_.snapshot_unseen.push_back(
                "byte " + std::to_string(drawn.byte) + " of the snapshot" +
                (stage_.can(ISOTICK_HAS_FIELDS) ? ", which no field shows" : ""));
        }
        return renew();
    }

    // Whether a new instance runs on in another way with the bit changed than without.
    Result<bool> decides_the_future(DrawnBit drawn) {
        if (!future_) {
            ISOTICK_TRY(load_anew());
            ISOTICK_TRY_ASSIGN(auto rows, hash_run(stage_, *instance_, facts_.at));
            future_ = Future{facts_.at, std::move(rows)};
        }
        change(drawn);
        const auto loaded = load_anew();
        change(drawn);
        ISOTICK_TRY(loaded);
        return run_against(stage_, *instance_, *future_)
            .map([](const std::optional<FirstDifference>& difference) {
                return difference.has_value();
            });
    }

    // And back.
    void change(DrawnBit drawn) { snapshot_[drawn.byte] ^= std::byte{1} << drawn.bit; }

    Result<void> load_anew() {
        return renew().and_then([&] { return stage_.load(*instance_, snapshot_, facts_.at); });
    }

    // Where all NaNs count as one, another NaN is no other state.
    [[nodiscard]] bool is_another_nan(const core::FieldDifference& field) const {
        return stage_.session().head().nan_policy == "one" &&
               field.before.find("nan") != std::string::npos &&
               field.after.find("nan") != std::string::npos;
    }

    Stage& stage_;
    FlipFacts& facts_;
    Stage::Instance instance_;
    Bytes snapshot_;
    Look untouched_;
    std::optional<Future> future_;  // of the untouched snapshot, once it is needed
};

// Zero where not even the untouched one can be loaded.
std::uint64_t snapshot_size(Stage& stage, FlipFacts& facts) {
    const auto size = stage.play(facts.at, Tampering::no, [&](Stage::Instance& original) {
        SnapshotFlips flips(stage, facts);
        return flips.begin(original).map([&] { return flips.size(); });
    });
    return size.value_or(0);
}

}  // namespace

void flip_snapshot(Stage& stage, FlipFacts& facts) {
    const std::uint64_t size = snapshot_size(stage, facts);
    const std::uint64_t seed = stage.plan().seed + kDraw;
    const FlipBatch batch{size == 0 ? 0 : kSamples,
                          [&](Stage::Instance& original, std::size_t from, std::size_t to,
                              std::atomic<std::size_t>& current, FlipFacts& some) {
                              SnapshotFlips flips(stage, some);
                              auto flipped = flips.begin(original);
                              for (std::size_t number = from; number < to && flipped; ++number) {
                                  current = number;
                                  flipped = flips.flip(draw_bit(seed, number, flips.size()));
                              }
                              return flipped;
                          },
                          [&](std::size_t number) {
                              const DrawnBit drawn = draw_bit(seed, number, size);
                              return "bit " + std::to_string(drawn.bit) + " of byte " +
                                     std::to_string(drawn.byte) + " of the snapshot";
                          }};
    flip_all(stage, batch, facts);
}

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
