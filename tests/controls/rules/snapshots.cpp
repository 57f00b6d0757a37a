// What a snapshot leaves out or brings back in another form.

#include "../arena.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <map>
#include <optional>
#include <set>

namespace isotick::controls {
namespace {

// Every fifth shot is a strong one, but no snapshot holds how many there were.
class MissingMember : public Rule {
  public:
    using Rule::Rule;

    void step(World& world, const core::Step& step) override {
        if ((pressed(step, 0) & kFire) != 0) {
            ++fired_;
            world.market.gold += fired_ % 5 == 0 ? 5 : 0;
        }
    }

    std::uint64_t more_to_save() const override { return clean_ ? fired_ : 0; }
    void load_more(std::uint64_t more) override { fired_ = clean_ ? more : fired_; }

  private:
    std::uint64_t fired_ = 0;
};

// A flag that is set again only every now and then, and that load forgets.
class ResetByLoad : public Rule {
  public:
    using Rule::Rule;

    void step(World& world, const core::Step& step) override {
        if (step.tick.value % 64 == 0) {
            since_ = 0;
        }
        world.wave.wait = static_cast<std::uint32_t>(++since_);
    }

    std::uint64_t more_to_save() const override { return since_; }
    void load_more(std::uint64_t more) override { since_ = clean_ ? more : 0; }

  private:
    std::uint64_t since_ = 0;
};

// Who is nearest is looked for every 30 ticks, and kept when the state is another.
class StaleCache : public Rule {
  public:
    using Rule::Rule;

    void step(World& world, const core::Step& step) override {
        if (clean_ || step.tick.value % 30 == 0) {
            nearest_ = std::ranges::min_element(world.units, {}, [](const Unit& unit) {
                           return unit.position.x;
                       })->id;
        }
        world.units[1].target = nearest_;
    }

  private:
    std::uint32_t nearest_ = 0;
};

// A snapshot holds an address, which is another one in the next process.
class PointerInSnapshot : public Rule {
  public:
    using Rule::Rule;

    void step(World& world, const core::Step&) override {
        for (const Weapon& weapon : kWeapons) {
            world.market.gold += &weapon == held_ ? weapon.price : 0;
        }
    }

    std::uint64_t more_to_save() const override {
        return clean_ ? static_cast<std::uint64_t>(held_ - kWeapons)
                      : reinterpret_cast<std::uintptr_t>(held_);
    }
    void load_more(std::uint64_t more) override {
        held_ = clean_ ? kWeapons + more % 2 : reinterpret_cast<const Weapon*>(more);
    }

  private:
    struct Weapon {
        const char* name;
        std::int64_t price;
    };
    static constexpr Weapon kWeapons[] = {{"bow", 1}, {"axe", 2}};
    const Weapon* held_ = kWeapons + 1;
};

// A static counts the shots: going back does not take them back.
class StaticSurvivesLoad : public Rule {
  public:
    using Rule::Rule;

    void step(World& world, const core::Step& step) override {
        static std::uint32_t fired = 0;
        fired = step.tick.value == 0 ? 0 : fired;
        if ((pressed(step, 0) & kFire) != 0) {
            ++fired;
            ++world.wave.wait;
        }
        world.units[8].target = (clean_ ? world.wave.wait : fired) % 1000;
    }
};

// Loading makes the list of turns again, from a set, in another order than it had grown in.
class RebuiltInAnotherOrder : public Rule {
  public:
    using Rule::Rule;

    void step(World& world, const core::Step&) override {
        std::ranges::rotate(world.turns, world.turns.begin() + 1);
    }

    void loaded(World& world) override {
        if (!clean_) {
            const std::set<std::uint32_t> ids(world.turns.begin(), world.turns.end());
            world.turns.assign(ids.begin(), ids.end());
        }
    }
};

// A table is made in the first tick, which a process that loads has never seen.
class MadeInTheFirstTick : public Rule {
  public:
    using Rule::Rule;

    void step(World& world, const core::Step& step) override {
        if (step.tick.value == 0 || (clean_ && damage_[0] == 0)) {
            for (std::uint32_t i = 0; i < damage_.size(); ++i) {
                damage_[i] = i + 3;
            }
        }
        world.wave.wait += damage_[step.tick.value % damage_.size()];
    }

  private:
    std::array<std::uint32_t, 8> damage_{};
};

// The next id is a static, which starts from one in each process.
class NextIdOutsideTheState : public Rule {
  public:
    using Rule::Rule;

    void step(World& world, const core::Step& step) override {
        static std::uint32_t next_id = 1;
        if (step.tick.value % 10 == 5) {
            world.units[9].target = clean_ ? ++world.wave.wait : next_id++;
        }
    }
};

// Sees to its timers after a load, as if the game had started.
class LoadStartsTimers : public Rule {
  public:
    using Rule::Rule;

    void step(World&, const core::Step&) override {}

    void loaded(World& world) override {
        for (Unit& unit : world.units) {
            unit.cooldown = clean_ ? unit.cooldown : 10;
        }
    }
};

// What was thought of in a tick is kept by the tick's number, on whatever inputs it was.
class MemoByTick : public Rule {
  public:
    using Rule::Rule;

    void step(World& world, const core::Step& step) override {
        std::optional<std::uint32_t>& thought = memo_[step.tick.value % memo_.size()];
        if (clean_ || memo_of_[step.tick.value % memo_.size()] != step.tick.value || !thought) {
            thought = std::uint32_t{pressed(step, 0)} + pressed(step, 1);
            memo_of_[step.tick.value % memo_.size()] = step.tick.value;
        }
        world.units[6].target = *thought;
    }

  private:
    std::array<std::optional<std::uint32_t>, 64> memo_{};
    std::array<std::uint64_t, 64> memo_of_{};
};

constexpr Control kControls[] = {
    {"missing-member", make<MissingMember>},
    {"reset-by-load", make<ResetByLoad>},
    {"stale-cache", make<StaleCache>},
    {"pointer-in-snapshot", make<PointerInSnapshot>},
    {"static-survives-load", make<StaticSurvivesLoad>},
    {"rebuilt-in-another-order", make<RebuiltInAnotherOrder>},
    {"made-in-the-first-tick", make<MadeInTheFirstTick>},
    {"next-id-outside-the-state", make<NextIdOutsideTheState>},
    {"load-starts-timers", make<LoadStartsTimers>},
    {"memo-by-tick", make<MemoByTick>},
};

}  // namespace

std::span<const Control> snapshot_controls() {
    return kControls;
}

}  // namespace isotick::controls
