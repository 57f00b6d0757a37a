#include "snapshot_flips.hpp"

#include <isotick/core/field_difference.hpp>
#include <isotick/core/random.hpp>

#include <algorithm>
#include <limits>
#include <utility>

namespace isotick::harness {
namespace {

using core::Result;

constexpr std::uint64_t kSamples = 64;
constexpr std::size_t kMostUnseen = 8;

/// Loads one changed snapshot after the other into an instance.
class SnapshotFlips {
  public:
    SnapshotFlips(Stage& stage, FlipFacts& facts) : stage_(stage), facts_(facts) {}

    /// Everything is held against what the untouched snapshot gives.
    Result<void> begin(Stage::Instance& original) {
        auto snapshot = stage_.save(*original, facts_.at);
        if (!snapshot) {
            return tl::unexpected(snapshot.error());
        }
        snapshot_ = std::move(*snapshot);
        original.reset();
        if (auto renewed = renew(); !renewed) {
            return renewed;
        }
        if (auto loaded = stage_.load(*instance_, snapshot_, facts_.at); !loaded) {
            return loaded;
        }
        return look(untouched_);
    }

    Result<void> flip(std::size_t byte, unsigned bit) {
        ++facts_.snapshot_tried;
        const std::byte mask = std::byte{1} << bit;
        snapshot_[byte] ^= mask;
        const bool loaded = stage_.load(*instance_, snapshot_, facts_.at).has_value();
        snapshot_[byte] ^= mask;
        Look flipped;
        if (!loaded || !look(flipped)) {
            return renew();  // refused, which is as it should be
        }
        if (flipped.saved == untouched_.saved) {
            return {};  // nothing that counts
        }
        ++facts_.snapshot_taken;
        if (stage_.differing(untouched_.row, flipped.row).empty()) {
            note_unseen(byte, flipped);
        }
        return {};
    }

    [[nodiscard]] std::size_t size() const { return snapshot_.size(); }

  private:
    struct Look {
        Bytes saved;
        PartRow row;
        Bytes fields;
    };

    Result<void> renew() {
        instance_.reset();
        auto made = stage_.create();
        if (!made) {
            return tl::unexpected(made.error());
        }
        instance_.emplace(std::move(*made));
        return {};
    }

    Result<void> look(Look& look) {
        auto saved = stage_.save(*instance_, facts_.at);
        if (!saved) {
            return tl::unexpected(saved.error());
        }
        look.saved = std::move(*saved);
        auto row = stage_.hash(*instance_, facts_.at);
        if (!row) {
            return tl::unexpected(row.error());
        }
        look.row = std::move(*row);
        if (stage_.can(ISOTICK_HAS_FIELDS)) {
            auto fields = stage_.fields(*instance_, facts_.at);
            if (!fields) {
                return tl::unexpected(fields.error());
            }
            look.fields = std::move(*fields);
        }
        return {};
    }

    void note_unseen(std::size_t byte, const Look& flipped) {
        std::string what = "byte " + std::to_string(byte) + " of the snapshot";
        if (stage_.can(ISOTICK_HAS_FIELDS)) {
            const auto compared = core::compare_fields(untouched_.fields, flipped.fields, 1);
            if (compared && !compared->listed.empty()) {
                if (is_another_nan(compared->listed.front())) {
                    return;
                }
                what = compared->listed.front().path;
            } else if (compared) {
                what += ", which no field shows";
            }
        }
        auto& unseen = facts_.snapshot_unseen;
        if (unseen.size() < kMostUnseen &&
            std::find(unseen.begin(), unseen.end(), what) == unseen.end()) {
            unseen.push_back(std::move(what));
        }
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
};

}  // namespace

Result<void> flip_snapshot(Stage& stage, Stage::Instance& original, std::uint64_t seed,
                           FlipFacts& facts) {
    SnapshotFlips flips(stage, facts);
    if (auto begun = flips.begin(original); !begun) {
        return begun;
    }
    core::Pcg32 random(seed, 1);
    const auto size = static_cast<std::uint32_t>(
        std::min<std::size_t>(flips.size(), std::numeric_limits<std::uint32_t>::max()));
    for (std::uint64_t sample = 0; sample < kSamples && size > 0; ++sample) {
        const std::uint32_t byte = random.below(size);
        if (auto flipped = flips.flip(byte, random.below(8)); !flipped) {
            return flipped;
        }
    }
    return {};
}

}  // namespace isotick::harness
