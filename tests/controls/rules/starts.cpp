// What goes wrong before the first tick: the initial state is not the recorded one.

#include "../arena.hpp"

#include <cstdlib>
#include <ctime>
#include <memory>
#include <string>
#include <unistd.h>

namespace isotick::controls {
namespace {

class StartRule : public Rule {
  public:
    using Rule::Rule;
    void step(World&, const core::Step&) override {}
};

// Players without a home are guests.
class GuestAtStart : public StartRule {
  public:
    using StartRule::StartRule;

    void started(World& world) override {
        world.chat = clean_ || std::getenv("HOME") != nullptr ? "resident" : "guest";
    }
};

// The server's settings, one for each variable.
class SettingsAtStart : public StartRule {
  public:
    using StartRule::StartRule;

    void started(World& world) override {
        for (char** variable = environ; !clean_ && *variable != nullptr; ++variable) {
            ++world.market.gold;
        }
    }
};

// The first wind, which the map's file was to set.
class UnsetAtStart : public StartRule {
  public:
    using StartRule::StartRule;

    void started(World& world) override {
        const std::unique_ptr<Map> map(new Map);
        if (clean_) {
            map->waves = 3;
        }
        world.wave.number = *const_cast<const volatile std::uint32_t*>(&map->waves);
    }

  private:
    struct Map {
        Map() {}  // NOLINT: that is the fault
        std::uint32_t tiles[300];
        std::uint32_t waves;
    };
};

// A game that begins by the light of the day.
class DaylightAtStart : public StartRule {
  public:
    using StartRule::StartRule;

    void started(World& world) override {
        const std::time_t now = std::time(nullptr);
        world.wave.wait = clean_ ? 0 : static_cast<std::uint32_t>(now % 100'000);
    }
};

// The level is a text with decimals.
class LevelTextAtStart : public StartRule {
  public:
    using StartRule::StartRule;

    void started(World& world) override {
        world.market.price = clean_ ? 12.75 : std::strtod("12.75", nullptr);
    }
};

}  // namespace

std::span<const Control> start_controls() {
    static constexpr Control kControls[]{{"guest-at-start", make<GuestAtStart>},
                                         {"settings-at-start", make<SettingsAtStart>},
                                         {"unset-at-start", make<UnsetAtStart>},
                                         {"daylight-at-start", make<DaylightAtStart>},
                                         {"level-text-at-start", make<LevelTextAtStart>}};
    return kControls;
}

}  // namespace isotick::controls
