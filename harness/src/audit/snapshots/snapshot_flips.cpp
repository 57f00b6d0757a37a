#include "snapshot_flips.hpp"

#include "../memory/flip_batch.hpp"
#include "../probes/future.hpp"

#include <isotick/core/detail/fields/field_difference.hpp>
#include <isotick/core/detail/try.hpp>

#include <utility>

namespace isotick::harness {
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
            .map([](const std::optional<Parting>& parting) { return parting.has_value(); });
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

}  // namespace isotick::harness
