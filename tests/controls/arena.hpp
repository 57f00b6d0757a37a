#pragma once
// A small game that keeps its promises, and the place where a control breaks one of them.
//
// Everything here is whole numbers: what a control gets wrong is all that can go wrong.

#include <isotick/core/random.hpp>
#include <isotick/core/simulation_type.hpp>
#include <isotick/core/time.hpp>

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include <cereal/types/string.hpp>
#include <cereal/types/vector.hpp>

namespace isotick::controls {

struct Point {
    std::int32_t x = 0;  // 256 to a pace
    std::int32_t y = 0;

    template <class Archive>
    void serialize(Archive& archive) {
        archive(CEREAL_NVP(x), CEREAL_NVP(y));
    }
};

struct Unit {
    std::uint32_t id = 0;
    Point position;
    Point velocity;  // per tick
    std::int32_t health = 100;
    std::uint32_t target = 0;  // another unit's id
    std::uint32_t cooldown = 0;

    template <class Archive>
    void serialize(Archive& archive) {
        archive(CEREAL_NVP(id), CEREAL_NVP(position), CEREAL_NVP(velocity), CEREAL_NVP(health),
                CEREAL_NVP(target), CEREAL_NVP(cooldown));
    }
};

struct Shot {
    std::uint32_t owner = 0;
    Point position;
    Point velocity;
    std::uint32_t left = 0;  // ticks to live

    template <class Archive>
    void serialize(Archive& archive) {
        archive(CEREAL_NVP(owner), CEREAL_NVP(position), CEREAL_NVP(velocity), CEREAL_NVP(left));
    }
};

struct Wave {  // of enemies
    std::uint32_t number = 0;
    std::uint32_t strength = 10;
    std::uint32_t wait = 0;

    template <class Archive>
    void serialize(Archive& archive) {
        archive(CEREAL_NVP(number), CEREAL_NVP(strength), CEREAL_NVP(wait));
    }
};

struct Market {
    std::int64_t gold = 1000;
    double price = 10;

    template <class Archive>
    void serialize(Archive& archive) {
        archive(CEREAL_NVP(gold), CEREAL_NVP(price));
    }
};

struct Weather {
    float wind = 1;
    double warmth = 20;

    template <class Archive>
    void serialize(Archive& archive) {
        archive(CEREAL_NVP(wind), CEREAL_NVP(warmth));
    }
};

struct World {
    std::vector<Unit> units;  // the players' first
    std::vector<Shot> shots;
    Wave wave;
    Market market;
    Weather weather;
    std::vector<std::uint32_t> turns;  // ids, in the order in which units act
    std::string chat;                  // the last line
    core::Pcg32 random;

    template <class Archive>
    void serialize(Archive& archive) {
        archive(CEREAL_NVP(units), CEREAL_NVP(shots), CEREAL_NVP(wave), CEREAL_NVP(market),
                CEREAL_NVP(weather), CEREAL_NVP(turns), CEREAL_NVP(chat), CEREAL_NVP(random));
    }
};

constexpr std::int32_t kSide = 64 * 256;  // of the arena
constexpr std::uint8_t kLeft = 1, kRight = 2, kUp = 4, kDown = 8, kFire = 16;

[[nodiscard]] World make_world(std::uint64_t seed);
void play(World& world, const core::Step& step);  // one tick, but for the control's rule

/// What a player presses in this tick; nothing where the input is absent.
[[nodiscard]] std::uint8_t pressed(const core::Step& step, std::size_t player);

/// Where `unit` stands along the way from corner to corner: a number to sort by.
[[nodiscard]] std::int32_t advance_of(const Unit& unit);

/// The last tick of each 90: what happens once in a wave happens then, so first in tick 89.
[[nodiscard]] inline bool ends_wave(const core::Step& step) {
    return step.tick.value % 90 == 89;
}

/// The first of them, for what happens once in a game.
[[nodiscard]] inline bool ends_first_wave(const core::Step& step) {
    return step.tick.value == 89;
}

/// One rule of the game, in the wrong form or in the `clean` one. It may keep things to itself, as
/// objects of games do: only World is hashed, saved and loaded.
class Rule {
  public:
    struct Start {
        bool clean;
        const core::SimulationSetup& setup;
    };

    explicit Rule(const Start& start) : clean_(start.clean) {}
    virtual ~Rule() = default;
    Rule(const Rule&) = delete;
    Rule& operator=(const Rule&) = delete;

    virtual void started(World&) {}  // World is the initial one
    virtual void begin_frame(World&, core::FrameTime) {}
    virtual void step(World&, const core::Step&) = 0;  // after play()
    virtual void render(World&, double) {}
    virtual void loaded(World&) {}  // World was read from a snapshot
    virtual void hashed() const {}  // or its fields were listed

    /// What a snapshot holds besides World, and what loading it brings back.
    [[nodiscard]] virtual std::uint64_t more_to_save() const { return 0; }
    virtual void load_more(std::uint64_t) {}

    /// Whether floats are computed as the host left them, rather than to nearest, with denormals.
    [[nodiscard]] virtual bool takes_floats_as_they_are() const { return false; }

  protected:
    const bool clean_;
};

struct Control {
    const char* name;
    std::unique_ptr<Rule> (*make)(const Rule::Start& start);
};

template <class T>
std::unique_ptr<Rule> make(const Rule::Start& start) {
    return std::make_unique<T>(start);
}

// Of each file in rules/.
std::span<const Control> address_controls();
std::span<const Control> cause_controls();
std::span<const Control> clock_controls();
std::span<const Control> float_controls();
std::span<const Control> frame_controls();
std::span<const Control> host_controls();
std::span<const Control> input_controls();
std::span<const Control> instance_controls();
std::span<const Control> memory_controls();
std::span<const Control> observing_controls();
std::span<const Control> random_controls();
std::span<const Control> render_controls();
std::span<const Control> snapshot_controls();
std::span<const Control> start_controls();
std::span<const Control> container_controls();
std::span<const Control> thread_controls();

}  // namespace isotick::controls
