// Looking at the state changes it, or restores it differently: what save, load and hash do besides
// their work.

#include "../arena.hpp"

#include <algorithm>
#include <bit>

namespace isotick::controls {
namespace {

// A snapshot is a checkpoint of the game, so it costs a coin that the next tick takes.
class SavingCosts : public Rule {
  public:
    using Rule::Rule;

    void step(World& world, const core::Step&) override {
        world.market.gold -= clean_ ? 0 : saved_;
        saved_ = 0;
    }

    std::uint64_t more_to_save() const override {
        ++saved_;
        return 0;
    }

  private:
    mutable std::int64_t saved_ = 0;
};

// Orders wait for the end of a second. Saving takes them out of the queue, into the snapshot.
class SavingEmptiesTheQueue : public Rule {
  public:
    using Rule::Rule;

    void step(World& world, const core::Step& step) override {
        orders_ += (pressed(step, 1) & kFire) != 0 ? 1U : 0U;
        if (step.tick.value % 60 == 59) {
            world.wave.wait += static_cast<std::uint32_t>(orders_);
            orders_ = 0;
        }
    }

    std::uint64_t more_to_save() const override {
        const std::uint64_t saved = orders_;
        orders_ = clean_ ? orders_ : 0;
        return saved;
    }
    void load_more(std::uint64_t more) override { orders_ = more; }

  private:
    mutable std::uint64_t orders_ = 0;
};

// Objects are numbered when they are written for the first time.
class NumberedBySaving : public Rule {
  public:
    using Rule::Rule;

    void step(World& world, const core::Step& step) override {
        if (step.tick.value % 10 == 9) {
            world.units[4].target = static_cast<std::uint32_t>(clean_ ? 0 : number_) % 1000;
        }
    }

    std::uint64_t more_to_save() const override { return ++number_; }
    void load_more(std::uint64_t more) override { number_ = more; }

  private:
    mutable std::uint64_t number_ = 0;
};

// Whoever is back is greeted with a bit of luck.
class LoadingDraws : public Rule {
  public:
    using Rule::Rule;

    void step(World&, const core::Step&) override {}

    void loaded(World& world) override {
        if (!clean_) {
            world.wave.wait += world.random.below(6);
        }
    }
};

// Loading treats as damaged a number that the game itself can reach.
class LoadingClamps : public Rule {
  public:
    using Rule::Rule;

    void step(World& world, const core::Step&) override { ++world.wave.wait; }

    void loaded(World& world) override {
        world.wave.wait = clean_ ? world.wave.wait : std::min(world.wave.wait, 50U);
    }
};

// Prices are saved in cents.
class SavedInCents : public Rule {
  public:
    using Rule::Rule;

    void step(World& world, const core::Step&) override {
        exact_ += 0.125 / 64;
        world.market.price = exact_;
    }

    std::uint64_t more_to_save() const override {
        return clean_ ? std::bit_cast<std::uint64_t>(exact_)
                      : static_cast<std::uint64_t>(exact_ * 100);
    }
    void load_more(std::uint64_t more) override {
        exact_ = clean_ ? std::bit_cast<double>(more) : static_cast<double>(more) / 100;
    }

  private:
    double exact_ = 10;
};

// Shots that are about to end are not worth a place in a snapshot.
class LoadingDropsShots : public Rule {
  public:
    using Rule::Rule;

    void step(World& world, const core::Step& step) override {
        if (step.tick.value % 20 == 0) {
            world.shots.push_back({1, {0, 0}, {1, 1}, 25});
        }
    }

    void loaded(World& world) override {
        std::erase_if(world.shots, [this](const Shot& shot) { return !clean_ && shot.left < 5; });
    }
};

// Statistics of how often the state was hashed decide when the game tidies up.
class HashCounts : public Rule {
  public:
    using Rule::Rule;

    void step(World& world, const core::Step&) override {
        world.wave.wait = clean_ ? 0 : hashed_ / 16;
    }

    void hashed() const override { ++hashed_; }

  private:
    mutable std::uint32_t hashed_ = 0;
};

constexpr Control kControls[] = {
    {"saving-costs", make<SavingCosts>},
    {"saving-empties-the-queue", make<SavingEmptiesTheQueue>},
    {"numbered-by-saving", make<NumberedBySaving>},
    {"loading-draws", make<LoadingDraws>},
    {"loading-clamps", make<LoadingClamps>},
    {"saved-in-cents", make<SavedInCents>},
    {"loading-drops-shots", make<LoadingDropsShots>},
    {"hash-counts", make<HashCounts>},
};

}  // namespace

std::span<const Control> observing_controls() {
    return kControls;
}

}  // namespace isotick::controls
