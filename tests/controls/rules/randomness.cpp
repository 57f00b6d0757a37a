// Random numbers that belong to the machine and not to the session.

#include "../arena.hpp"

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <random>
#include <unordered_map>

#include <sys/random.h>

namespace isotick::controls {
namespace {

// Seeds its generator as the standard's example does.
class RandomDevice : public Rule {
  public:
    using Rule::Rule;

    void step(World& world, const core::Step& step) override {
        if (ends_wave(step)) {
            const std::uint32_t seed = clean_ ? world.random.next() : std::random_device()();
            world.wave.wait = core::Pcg32(seed).below(1000);
        }
    }
};

// An identifier for the match, from the system's own device.
class UniqueId : public Rule {
  public:
    using Rule::Rule;

    void step(World& world, const core::Step& step) override {
        if (ends_wave(step)) {
            std::uint32_t id = world.random.next();
            if (!clean_) {
                std::ifstream device("/dev/urandom", std::ios::binary);
                device.read(reinterpret_cast<char*>(&id), sizeof id);
            }
            world.chat = "match " + std::to_string(id);
        }
    }
};

// Keys are hashed with a salt of the process, as many languages do, and walked in that order.
class SaltedHash : public Rule {
  public:
    explicit SaltedHash(const Start& start) : Rule(start) {
        if (!clean_ && getrandom(&salt_, sizeof salt_, 0) != sizeof salt_) {
            salt_ = 1;
        }
    }

    void step(World& world, const core::Step& step) override {
        if (ends_wave(step)) {
            const auto key = [this](std::uint32_t id) { return core::Pcg32(salt_, id).next(); };
            std::ranges::sort(world.turns, {}, key);
        }
    }

  private:
    std::uint64_t salt_ = 0;
};

// rand() without a seed of one's own: the same numbers, unless somebody else draws or seeds, too.
class UnseededRand : public Rule {
  public:
    using Rule::Rule;

    void step(World& world, const core::Step& step) override {
        if (ends_first_wave(step)) {
            const std::uint32_t drawn =
                clean_ ? world.random.next() : static_cast<std::uint32_t>(std::rand());
            world.units[6].cooldown = drawn % 100;
        }
    }
};

// The same with drand48.
class UnseededDrand48 : public Rule {
  public:
    using Rule::Rule;

    void step(World& world, const core::Step& step) override {
        if (ends_first_wave(step)) {
            world.market.price = 10 * (clean_ ? world.random.unit_double() : drand48());
        }
    }
};

constexpr Control kControls[] = {
    {"random-device", make<RandomDevice>},       {"unique-id", make<UniqueId>},
    {"salted-hash", make<SaltedHash>},           {"unseeded-rand", make<UnseededRand>},
    {"unseeded-drand48", make<UnseededDrand48>},
};

}  // namespace

std::span<const Control> random_controls() {
    return kControls;
}

}  // namespace isotick::controls
