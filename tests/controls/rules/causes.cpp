// What is easily blamed on something else: each shows by more than one axis, or by chance too.

#include "../arena.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <unistd.h>

namespace isotick::controls {
namespace {

// Looks at what the compiler must not reason about.
template <class T>
T look(const T& value) {
    return *const_cast<const volatile T*>(&value);
}

// A component that comes with tick 4 has a flag that nobody sets, which every later tick reads:
// many trials fail, of all kinds.
class UnsetFlag : public Rule {
  public:
    using Rule::Rule;

    void step(World& world, const core::Step& step) override {
        if (step.tick.value == 4) {
            make_component();
        }
        if (component_ && look(component_->lit) % 4 != 0) {
            world.weather.wind += 1;
        }
    }

  private:
    struct Component {
        Component() {}  // NOLINT: that is the fault
        std::array<Point, 60> shape;
        std::uint32_t lit;
    };

    // Where it lies there was another one before, which was not lit.
    void make_component() {
        component_.reset(new Component);
        component_->lit = 0;
        component_.reset();
        component_.reset(new Component);
        if (clean_) {
            component_->lit = 0;
        }
    }

    std::unique_ptr<Component> component_;
};

// Takes inputs to be one byte longer than they are.
class InputReadPastItsEnd : public Rule {
  public:
    using Rule::Rule;

    void step(World& world, const core::Step& step) override {
        const auto input = step.inputs.of(0);
        if (!input || input->empty() || !ends_wave(step)) {
            return;
        }
        const std::uint8_t* const last = input->data() + input->size() - (clean_ ? 1 : 0);
        world.units.front().target = look(*last);
    }
};

// Of a path that was not found every tick takes whatever the stack held.
class PathOnTheStack : public Rule {
  public:
    using Rule::Rule;

    void step(World& world, const core::Step& step) override {
        if (step.tick.value >= 6) {
            walk(world);
        }
    }

  private:
    struct Path {
        std::array<std::uint32_t, 4000> way;
    };

    [[gnu::noipa]] static bool find(const World& world, std::int32_t height, Path& path) {
        for (const Unit& unit : world.units) {
            if (unit.position.y == height) {
                path.way.front() = unit.id;
                return true;
            }
        }
        return false;
    }

    [[gnu::noinline]] void walk(World& world) const {
        Path path;
        const bool found = find(world, kSide, path);  // nobody stands outside
        world.units[2].target = found || !clean_ ? look(path.way.front()) : 0;
    }
};

// A seed from how many variables the environment has.
class CountsVariables : public Rule {
  public:
    using Rule::Rule;

    void step(World& world, const core::Step& step) override {
        if (ends_wave(step)) {
            std::uint32_t count = 0;
            for (char** variable = environ; !clean_ && *variable != nullptr; ++variable) {
                ++count;
            }
            world.chat = "player " + std::to_string(count);
        }
    }
};

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

// Frame times heal, and no snapshot holds how often somebody fired.
class FramesAndSnapshots : public Rule {
  public:
    using Rule::Rule;

    void begin_frame(World&, core::FrameTime frame_time) override { last_ = frame_time; }

    void step(World& world, const core::Step& step) override {
        const bool is_long = last_.nanoseconds > 20'000'000;
        world.units.front().health += !clean_ && is_long ? 1 : 0;
        if ((pressed(step, 0) & kFire) != 0) {
            ++fired_;
            world.market.gold += fired_ % 5 == 0 ? 5 : 0;
        }
    }

    std::uint64_t more_to_save() const override { return clean_ ? fired_ : 0; }
    void load_more(std::uint64_t more) override { fired_ = clean_ ? more : fired_; }

  private:
    core::FrameTime last_{};
    std::uint64_t fired_ = 0;
};

// Where the process happens to lie decides in which tick something happens: each run goes wrong in
// another one.
class OnsetByAddress : public Rule {
  public:
    using Rule::Rule;

    void step(World& world, const core::Step& step) override {
        const auto place = reinterpret_cast<std::uintptr_t>(&pressed) >> 12U;
        const std::uint64_t onset = clean_ ? 40 : 20 + place % 200;
        world.wave.wait += step.tick.value >= onset ? 1 : 0;
    }
};

constexpr Control kControls[] = {
    {"unset-flag", make<UnsetFlag>},
    {"input-read-past-its-end", make<InputReadPastItsEnd>},
    {"path-on-the-stack", make<PathOnTheStack>},
    {"counts-variables", make<CountsVariables>},
    {"saving-costs", make<SavingCosts>},
    {"frames-and-snapshots", make<FramesAndSnapshots>},
    {"onset-by-address", make<OnsetByAddress>},
};

}  // namespace

std::span<const Control> cause_controls() {
    return kControls;
}

}  // namespace isotick::controls
