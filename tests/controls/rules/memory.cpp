// What memory held before: members and locals that nobody set, padding, freed objects.

#include "../arena.hpp"

#include <algorithm>
#include <array>
#include <cstring>

namespace isotick::controls {
namespace {

// Looks at what the compiler must not reason about.
template <class T>
T look(const T& value) {
    return *const_cast<const volatile T*>(&value);
}

// A new guard takes over in each wave, and nobody tells what mood he is in.
class UninitializedMember : public Rule {
  public:
    explicit UninitializedMember(const Start& start) : Rule(start), guard_(new Guard) {
        guard_->mood = kAlert;
    }

    void step(World& world, const core::Step& step) override {
        if (ends_wave(step)) {
            guard_.reset();
            guard_.reset(new Guard);
            if (clean_) {
                guard_->mood = kAlert;
            }
            world.wave.strength += look(guard_->mood) == kAlert ? 5U : 0U;
        }
    }

  private:
    enum Mood : std::uint32_t { kAsleep, kBored, kCurious, kAlert };
    struct Guard {
        Guard() {}  // NOLINT: that is the fault
        std::array<Point, 100> patrol;
        std::uint32_t mood;
    };
    std::unique_ptr<Guard> guard_;
};

// A ray that hits nothing leaves its answer alone, and nobody asks whether it hit.
class UninitializedLocal : public Rule {
  public:
    using Rule::Rule;

    void step(World& world, const core::Step& step) override {
        if (ends_wave(step)) {
            aim(world);
        }
    }

  private:
    struct Hit {
        std::uint32_t unit;
        std::array<Point, 3000> way;  // more of the stack than others use
    };

    [[gnu::noipa]] static bool cast_ray(const World& world, std::int32_t height, Hit& hit) {
        for (const Unit& unit : world.units) {
            if (unit.position.y == height) {
                hit.unit = unit.id;
                return true;
            }
        }
        return false;
    }

    [[gnu::noinline]] void aim(World& world) const {
        Hit hit;
        const bool hits = cast_ray(world, kSide, hit);  // nobody stands outside
        world.units[2].target = hits || !clean_ ? hit.unit : 0;
    }
};

// Whether there is anything to save is asked of all bytes, with those between the members.
class Padding : public Rule {
  public:
    using Rule::Rule;

    void step(World& world, const core::Step& step) override {
        if (ends_wave(step)) {
            const auto last = std::make_unique<Save>();  // all zeros, as `same` is at first
            auto same = std::make_unique<Save>();
            same.reset();
            same.reset(new Save);
            same->visited.fill(0);
            same->level = same->difficulty = 0;
            same->gold = 0;
            const bool is_equal = clean_ ? last->gold == same->gold
                                         : std::memcmp(last.get(), same.get(), sizeof(Save)) == 0;
            world.chat = is_equal ? "nothing to save" : "saved";
        }
    }

  private:
    struct Save {
        std::array<std::uint32_t, 200> visited;
        std::uint8_t level;
        std::int64_t gold;
        std::uint8_t difficulty;
    };
};

// Names of fixed length are equal if all of them is, with what is behind their ends.
class TextBeyondItsEnd : public Rule {
  public:
    using Rule::Rule;

    void step(World& world, const core::Step& step) override {
        if (ends_wave(step)) {
            const std::unique_ptr<char[]> wanted(new char[kLength]());
            std::unique_ptr<char[]> name(new char[kLength]());
            name.reset();
            name.reset(new char[kLength]);
            std::strcpy(wanted.get(), "blue");
            std::strcpy(name.get(), "blue");
            const std::size_t length = clean_ ? std::strlen(name.get()) + 1 : kLength;
            const bool is_wanted = std::memcmp(wanted.get(), name.get(), length) == 0;
            world.units[3].target = is_wanted ? 7 : 0;
        }
    }

  private:
    static constexpr std::size_t kLength = 600;
};

// Heat spreads from each cell to its right neighbor, and from the last one to what lies behind.
class ReadPastTheEnd : public Rule {
  public:
    using Rule::Rule;

    void step(World& world, const core::Step& step) override {
        if (ends_wave(step)) {
            { const std::vector<std::uint32_t> before(kCells + 3, 20); }
            const std::vector<std::uint32_t> cells(kCells, 20);  // the arena shrinks
            std::size_t even = clean_ ? 1 : 0;                   // cells as warm as their neighbor
            const std::size_t end = clean_ ? kCells - 1 : kCells;
            for (std::size_t cell = 0; cell < end; ++cell) {
                even += look(cells.data()[cell + 1]) == cells[cell] ? 1U : 0U;
            }
            world.weather.warmth = static_cast<double>(even);
        }
    }

  private:
    static constexpr std::size_t kCells = 251;  // malloc gives 12 bytes more, which nobody sets
};

// A shot homes in on a unit that was removed in the same tick.
class UseAfterFree : public Rule {
  public:
    using Rule::Rule;

    void step(World& world, const core::Step& step) override {
        if (ends_wave(step)) {
            auto decoy = std::make_unique<Decoy>();
            decoy->health = 7;
            const Decoy* volatile seen = decoy.get();  // as from a list of what is in sight
            const std::uint32_t health = look(seen->health);
            decoy.reset();
            world.units[4].cooldown = (clean_ ? health : look(seen->health)) == 7 ? 30U : 0U;
        }
    }

  private:
    struct Decoy {
        std::array<Point, 100> path{};
        std::uint32_t health = 0;
    };
};

// The boss is a reference into a vector, which grows when the boss calls for help.
class ReferenceIntoGrownVector : public Rule {
  public:
    using Rule::Rule;

    void step(World& world, const core::Step& step) override {
        if (ends_wave(step)) {
            std::vector<Enemy> enemies(1);
            enemies.front().strength = 50;
            const Enemy& boss = enemies.front();
            const std::uint32_t before = look(boss.strength);
            for (std::uint32_t helper = 0; helper < 3; ++helper) {
                enemies.emplace_back();
            }
            world.wave.strength += (clean_ ? before : look(boss.strength)) == 50 ? 3U : 0U;
        }
    }

  private:
    struct Enemy {
        std::array<Point, 60> path{};
        std::uint32_t strength = 1;
    };
};

// Whether a unit's path is known is looked up by the unit's address, which the next unit gets.
class CacheByAddress : public Rule {
  public:
    using Rule::Rule;

    void step(World& world, const core::Step& step) override {
        if (ends_wave(step)) {
            auto scout = std::make_unique<Scout>();
            scout->id = 1;
            const void* known = scout.get();
            const std::uint32_t known_id = scout->id;
            scout.reset();  // shot
            scout = std::make_unique<Scout>();
            scout->id = 2;
            const bool is_known = clean_ ? known_id == scout->id : known == scout.get();
            world.units[5].target = is_known ? 1 : 2;
        }
    }

  private:
    struct Scout {
        std::array<Point, 100> path{};
        std::uint32_t id = 0;
    };
};

constexpr Control kControls[] = {
    {"uninitialized-member", make<UninitializedMember>},
    {"uninitialized-local", make<UninitializedLocal>},
    {"padding", make<Padding>},
    {"text-beyond-its-end", make<TextBeyondItsEnd>},
    {"read-past-the-end", make<ReadPastTheEnd>},
    {"use-after-free", make<UseAfterFree>},
    {"reference-into-grown-vector", make<ReferenceIntoGrownVector>},
    {"cache-by-address", make<CacheByAddress>},
};

}  // namespace

std::span<const Control> memory_controls() {
    return kControls;
}

}  // namespace isotick::controls
