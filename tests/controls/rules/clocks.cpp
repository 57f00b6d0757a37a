// What time it is, and how long something took.

#include "../arena.hpp"

#include <chrono>
#include <ctime>
#include <filesystem>
#include <thread>

namespace isotick::controls {
namespace {

using std::chrono::duration_cast;
using std::chrono::milliseconds;
using std::chrono::steady_clock;
using std::chrono::system_clock;

template <class Clock>
std::int64_t milliseconds_of() {
    return duration_cast<milliseconds>(Clock::now().time_since_epoch()).count();
}

// The loot of each wave is drawn from the time.
class WallSecond : public Rule {
  public:
    using Rule::Rule;

    void step(World& world, const core::Step& step) override {
        if (ends_wave(step)) {
            const std::uint64_t seed =
                clean_ ? world.random.next64() : static_cast<std::uint64_t>(std::time(nullptr));
            world.market.gold += core::Pcg32(seed).below(1'000'000);
        }
    }
};

// The same with a clock that no two runs see alike.
class WallMillisecond : public Rule {
  public:
    using Rule::Rule;

    void step(World& world, const core::Step& step) override {
        if (ends_wave(step)) {
            const std::int64_t now = clean_ ? static_cast<std::int64_t>(step.tick.value)
                                            : milliseconds_of<system_clock>();
            world.units[1].velocity.x = static_cast<std::int32_t>(now % 100);
        }
    }
};

// A line of chat carries the hour at which it was said.
class ChatTimestamp : public Rule {
  public:
    using Rule::Rule;

    void step(World& world, const core::Step& step) override {
        if (ends_wave(step)) {
            const std::time_t now =
                clean_ ? 60 * static_cast<std::time_t>(step.tick.value) : std::time(nullptr);
            std::tm moment{};
            gmtime_r(&now, &moment);
            char text[32];
            std::strftime(text, sizeof text, "[%F %H h] wave!", &moment);
            world.chat = text;
        }
    }
};

// A player may chat every quarter of a second, by a clock that no session holds.
class SteadyCooldown : public Rule {
  public:
    using Rule::Rule;

    void step(World& world, const core::Step& step) override {
        const auto now = static_cast<std::uint32_t>(
            clean_ ? static_cast<std::int64_t>(step.tick.value) * 1000 / 60
                   : (steady_clock::now() - start_) / milliseconds(1));
        if ((pressed(step, 0) & kFire) != 0 && now - world.wave.wait >= 250) {
            world.wave.wait = now - now % 250;
            world.chat = "fire!";
        }
    }

  private:
    steady_clock::time_point start_ = steady_clock::now();
};

// Looks for a way until it is found or two milliseconds are over.
class PathBudget : public Rule {
  public:
    using Rule::Rule;

    void step(World& world, const core::Step& step) override {
        if (ends_wave(step)) {
            const auto begin = steady_clock::now();
            std::uint32_t best = 0;
            std::uint32_t tried = 0;
            for (; tried < 64 && (clean_ || steady_clock::now() - begin < milliseconds(2));
                 ++tried) {
                best = best * 31 + tried;
            }
            world.units[2].target = best % 16;
        }
    }
};

// The same by the time that the processor spent.
class ProcessorBudget : public Rule {
  public:
    using Rule::Rule;

    void step(World& world, const core::Step& step) override {
        if (ends_wave(step)) {
            const std::clock_t begin = std::clock();
            std::uint32_t plan = 0;
            for (std::uint32_t depth = 0; depth < 8; ++depth) {
                plan += consider(world, depth);
                if (!clean_ && std::clock() - begin > 2 * CLOCKS_PER_SEC / 1000) {
                    break;
                }
            }
            world.units[3].target = plan % 16;
        }
    }

  private:
    static std::uint32_t consider(const World& world, std::uint32_t depth) {
        std::uint32_t sum = depth;
        for (const Unit& unit : world.units) {
            sum = sum * 17 + unit.id;
        }
        return sum;
    }
};

// As many steps of physics as real time asks for.
class MeasuredSubsteps : public Rule {
  public:
    using Rule::Rule;

    void step(World& world, const core::Step&) override {
        const auto now = steady_clock::now();
        const std::int64_t missed = clean_ ? 0 : (now - last_) / milliseconds(5);
        last_ = now;
        for (std::int64_t i = 0; i < std::min<std::int64_t>(missed, 8) + 1; ++i) {
            world.market.price *= 1.0 + 1.0 / 1024;
            world.market.price = world.market.price > 100 ? 10 : world.market.price;
        }
    }

  private:
    steady_clock::time_point last_ = steady_clock::now();
};

// Waits for the network a little, and counts how long that was.
class SleepGranularity : public Rule {
  public:
    using Rule::Rule;

    void step(World& world, const core::Step& step) override {
        if (ends_wave(step)) {
            const auto begin = steady_clock::now();
            std::this_thread::sleep_for(std::chrono::microseconds(50));
            const auto ping = (steady_clock::now() - begin) / milliseconds(1);
            world.wave.wait += clean_ ? 0 : static_cast<std::uint32_t>(ping);
        }
    }
};

// Which rules hold is seen from the day on which a file was written, here the program's own.
class FileTime : public Rule {
  public:
    using Rule::Rule;

    void step(World& world, const core::Step& step) override {
        if (ends_wave(step)) {
            const auto written = std::filesystem::last_write_time("/proc/self/exe");
            const auto day = written.time_since_epoch() / std::chrono::hours(24);
            world.units[4].target = clean_ ? 1 : static_cast<std::uint32_t>(day);
        }
    }
};

// A bonus where the clock strikes: once in fifty runs.
class RareClockWindow : public Rule {
  public:
    using Rule::Rule;

    void step(World& world, const core::Step& step) override {
        if (ends_wave(step)) {
            const std::int64_t now = clean_ ? 1 : milliseconds_of<system_clock>();
            world.market.gold += now % 50 == 0 ? 25 : 0;
        }
    }
};

// Random numbers are seeded from the clock, as the first example in every book has it.
class SeededByClock : public Rule {
  public:
    explicit SeededByClock(const Start& start)
        : Rule(start),
          seed_(clean_ ? start.setup.seed : static_cast<std::uint64_t>(std::time(nullptr))) {}

    void step(World& world, const core::Step& step) override {
        if (ends_wave(step)) {
            world.wave.wait = core::Pcg32(seed_, world.wave.number).below(1'000'000);
        }
    }

  private:
    std::uint64_t seed_;
};

// The market opens at a date, which is taken for a local one.
class LocalDate : public Rule {
  public:
    using Rule::Rule;

    void step(World& world, const core::Step& step) override {
        if (ends_wave(step)) {
            std::tm opening{};
            opening.tm_year = 124;
            opening.tm_mday = 24;
            opening.tm_hour = 18;
            const std::time_t opens = clean_ ? timegm(&opening) : std::mktime(&opening);
            world.market.gold += opens / 900 % 100;
        }
    }
};

constexpr Control kControls[] = {
    {"wall-second", make<WallSecond>},
    {"wall-millisecond", make<WallMillisecond>},
    {"chat-timestamp", make<ChatTimestamp>},
    {"steady-cooldown", make<SteadyCooldown>},
    {"path-budget", make<PathBudget>},
    {"processor-budget", make<ProcessorBudget>},
    {"measured-substeps", make<MeasuredSubsteps>},
    {"sleep-granularity", make<SleepGranularity>},
    {"file-time", make<FileTime>},
    {"rare-clock-window", make<RareClockWindow>},
    {"seeded-by-clock", make<SeededByClock>},
    {"local-date", make<LocalDate>},
};

}  // namespace

std::span<const Control> clock_controls() {
    return kControls;
}

}  // namespace isotick::controls
