// What two games in one process share: one after the other, or side by side.

#include "../arena.hpp"

#include <algorithm>
#include <functional>

namespace isotick::controls {
namespace {

// A static in a function counts ticks, and starts the next game where the last one ended.
class StaticSurvives : public Rule {
  public:
    using Rule::Rule;

    void step(World& world, const core::Step& step) override {
        static std::uint64_t ticks = 0;
        ++ticks;
        const std::uint64_t played = clean_ ? step.tick.value + 1 : ticks;
        world.wave.wait = played % 100 == 0 ? world.wave.wait + 1 : world.wave.wait;
    }
};

// A worker's scratch memory still holds what the last game left there.
class ThreadLocalSurvives : public Rule {
  public:
    using Rule::Rule;

    void step(World& world, const core::Step& step) override {
        thread_local std::vector<std::uint32_t> seen;
        if (clean_) {
            seen.clear();
        }
        if (ends_first_wave(step)) {
            seen.push_back(static_cast<std::uint32_t>(world.market.gold));
            world.units[2].target =
                clean_ ? world.wave.number : static_cast<std::uint32_t>(seen.size());
        }
    }
};

// Who listens stays registered when its game is gone.
class ListenersSurvive : public Rule {
  public:
    explicit ListenersSurvive(const Start& start) : Rule(start) { listeners().push_back(this); }
    ~ListenersSurvive() override {
        if (clean_) {
            std::erase(listeners(), this);
        }
    }

    void step(World& world, const core::Step& step) override {
        if (ends_wave(step)) {
            const auto heard =
                clean_ ? std::ranges::count(listeners(), this) : std::ranges::ssize(listeners());
            world.market.gold += 10 * heard;
        }
    }

  private:
    static std::vector<const Rule*>& listeners() {
        static std::vector<const Rule*> all;
        return all;
    }
};

// Forces are added up over eight ticks, in memory that all games share.
class SharedScratch : public Rule {
  public:
    using Rule::Rule;

    void step(World& world, const core::Step& step) override {
        static std::uint32_t shared = 0;
        std::uint32_t& force = clean_ ? world.wave.wait : shared;
        force = step.tick.value % 8 == 0 ? 0 : force;
        force += world.units.front().id + static_cast<std::uint32_t>(step.tick.value);
        if (step.tick.value % 8 == 7) {
            world.units.back().target = force;
        }
    }
};

// The game that runs is a global, set when a game is made.
class CurrentGame : public Rule {
  public:
    explicit CurrentGame(const Start& start) : Rule(start) { current() = this; }
    ~CurrentGame() override {
        if (current() == this) {
            current() = nullptr;
        }
    }

    void step(World& world, const core::Step& step) override {
        CurrentGame* game = clean_ ? this : current();
        if (game != nullptr && ends_wave(step)) {
            game->bonus_ += 5;
        }
        world.market.gold += ends_wave(step) ? bonus_ : 0;
        bonus_ = 0;
    }

  private:
    static CurrentGame*& current() {
        static CurrentGame* game = nullptr;
        return game;
    }
    std::int64_t bonus_ = 0;
};

// Ids come from a counter of the whole process.
class IdsOfTheProcess : public Rule {
  public:
    explicit IdsOfTheProcess(const Start& start) : Rule(start), id_(next()++) {}

    void step(World& world, const core::Step& step) override {
        if (ends_wave(step)) {
            world.units[5].target = clean_ ? world.units[5].id : id_;
        }
    }

  private:
    static std::uint32_t& next() {
        static std::uint32_t id = 100;
        return id;
    }
    std::uint32_t id_;
};

// What is shown to beginners is not shown to whoever has ended a game before.
class ShownOnce : public Rule {
  public:
    explicit ShownOnce(const Start& start) : Rule(start), is_shown_(clean_ || !has_ended()) {}
    ~ShownOnce() override { has_ended() = true; }

    void step(World& world, const core::Step& step) override {
        if (ends_wave(step)) {
            world.chat = is_shown_ ? "press fire" : "";
        }
    }

  private:
    static bool& has_ended() {
        static bool any = false;
        return any;
    }
    bool is_shown_;
};

constexpr Control kControls[] = {
    {"static-survives", make<StaticSurvives>},
    {"thread-local-survives", make<ThreadLocalSurvives>},
    {"listeners-survive", make<ListenersSurvive>},
    {"shared-scratch", make<SharedScratch>},
    {"current-game", make<CurrentGame>},
    {"ids-of-the-process", make<IdsOfTheProcess>},
    {"shown-once", make<ShownOnce>},
};

}  // namespace

std::span<const Control> instance_controls() {
    return kControls;
}

}  // namespace isotick::controls
