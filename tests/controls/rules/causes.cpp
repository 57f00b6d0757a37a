// What is easily blamed on something else: each shows on more than one axis, or also by chance.

#include "../arena.hpp"

#include <algorithm>
#include <array>
#include <clocale>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <dirent.h>
#include <memory>
#include <optional>
#include <sched.h>
#include <string>
#include <unistd.h>
#include <vector>

#include <sys/random.h>
#include <sys/time.h>
#include <sys/utsname.h>

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

// When a path is not found, every tick uses whatever the stack held.
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

// The tail of a buffer that grows is taken to be zero, as it was when it was new.
class TailOfRealloc : public Rule {
  public:
    using Rule::Rule;
    ~TailOfRealloc() override { std::free(bytes_); }
    TailOfRealloc(const TailOfRealloc&) = delete;
    TailOfRealloc& operator=(const TailOfRealloc&) = delete;

    void step(World& world, const core::Step& step) override {
        if (!ends_wave(step)) {
            return;
        }
        bytes_ = static_cast<unsigned char*>(std::realloc(bytes_, kMost));
        std::memset(bytes_, 0, clean_ ? kMost : kUsual);
        world.wave.strength += look(bytes_[kMost - 1]) != 0 ? 3U : 0U;
        bytes_ = static_cast<unsigned char*>(std::realloc(bytes_, kUsual));
    }

  private:
    static constexpr std::size_t kUsual = 40, kMost = 900;
    unsigned char* bytes_ = static_cast<unsigned char*>(std::calloc(1, kUsual));
};

// A name is looked at through a pointer into a text that is gone.
class NameOfATemporary : public Rule {
  public:
    using Rule::Rule;

    void step(World& world, const core::Step& step) override {
        if (!ends_wave(step)) {
            return;
        }
        auto name = std::make_unique<std::string>(200, 'n');
        const char* const first = name->data() + 100;
        if (!clean_) {
            name.reset();
        }
        world.units[5].cooldown += look(*first) == 'n' ? 2U : 9U;
    }
};

// Only the buckets that somebody falls into are set.
class HistogramOnTheStack : public Rule {
  public:
    using Rule::Rule;

    void step(World& world, const core::Step& step) override {
        if (ends_wave(step)) {
            count(world);
        }
    }

  private:
    [[gnu::noinline]] void count(World& world) const {
        std::array<std::uint32_t, 6000> buckets;  // more of the stack than others use
        if (clean_) {
            buckets.fill(0);
        }
        for (const Unit& unit : world.units) {
            buckets[5000 + unit.id] = 1;
        }
        world.turns[look(buckets[17]) % 3] = 99;
    }
};

// The name of a file that could not be opened is whatever was on the stack.
class MessageOnTheStack : public Rule {
  public:
    using Rule::Rule;

    void step(World& world, const core::Step& step) override {
        if (ends_wave(step)) {
            say(world);
        }
    }

  private:
    [[gnu::noinline]] void say(World& world) const {
        std::array<char, 20000> text;
        text[0] = 0;
        if (clean_) {
            text.fill(0);
        }
        world.chat = "line " + std::to_string(look(text[700]) == 0 ? 0 : 1);
    }
};

// What was pressed in the tick before is looked up where it was.
class InputOfTheTickBefore : public Rule {
  public:
    using Rule::Rule;

    void step(World& world, const core::Step& step) override {
        if (before_ != nullptr) {
            world.units[3].target = clean_ ? was_ : look(*before_);
        }
        const auto input = step.inputs.of(1);
        before_ = input && !input->empty() ? input->data() : &was_;
        was_ = *before_;
    }

    std::uint64_t more_to_save() const override { return was_; }
    void load_more(std::uint64_t more) override {
        was_ = static_cast<std::uint8_t>(more);
        before_ = &was_;
    }

  private:
    std::uint8_t was_ = 0;
    const std::uint8_t* before_ = &was_;
};

// Inputs are summed up a word at a time, with what lies behind them.
class InputsReadByWord : public Rule {
  public:
    using Rule::Rule;

    void step(World& world, const core::Step& step) override {
        const auto input = step.inputs.of(1);
        for (std::size_t i = 0; input && !input->empty() && i < (clean_ ? 1 : 4); ++i) {
            world.market.gold += look(input->data()[i]) % 16;
        }
    }
};

// Luck is drawn from where the input lies.
class InputAddress : public Rule {
  public:
    using Rule::Rule;

    void step(World& world, const core::Step& step) override {
        const auto input = step.inputs.of(0);
        if (input && ends_wave(step)) {
            const auto place = reinterpret_cast<std::uintptr_t>(input->data()) >> 4U;
            world.units[1].cooldown = clean_ ? 0 : static_cast<std::uint32_t>(place % 4096);
        }
    }
};

// Draws from the name of the language.
class LanguageName : public Rule {
  public:
    using Rule::Rule;

    void step(World& world, const core::Step& step) override {
        if (ends_wave(step)) {
            const char* const name = std::setlocale(LC_NUMERIC, nullptr);
            world.chat = clean_ || name == nullptr ? "language" : name;
        }
    }
};

// The sign that stands before decimals.
class DecimalPoint : public Rule {
  public:
    using Rule::Rule;

    void step(World& world, const core::Step& step) override {
        if (ends_wave(step)) {
            world.weather.wind +=
                clean_ ? 1.0F : static_cast<float>(*std::localeconv()->decimal_point);
        }
    }
};

// The market opens so many ticks after the start of the match, by the clock on the wall.
class OpensAtNoon : public Rule {
  public:
    explicit OpensAtNoon(const Start& start)
        : Rule(start),
          opens_(40 + (start.clean ? 0 : static_cast<std::uint64_t>(std::time(nullptr)) % 200)) {}

    void step(World& world, const core::Step& step) override {
        world.wave.wait += step.tick.value >= opens_ ? 1 : 0;
    }

  private:
    std::uint64_t opens_;
};

// The same, but by the system's random numbers.
class OpensAtRandom : public Rule {
  public:
    explicit OpensAtRandom(const Start& start) : Rule(start) {
        std::uint8_t drawn = 0;
        if (!clean_ && getrandom(&drawn, 1, 0) == 1) {
            opens_ += drawn;
        }
    }

    void step(World& world, const core::Step& step) override {
        world.wave.wait += step.tick.value >= opens_ ? 1 : 0;
    }

  private:
    std::uint64_t opens_ = 30;
};

// Real time since the match began, in milliseconds.
class MillisecondsPlayed : public Rule {
  public:
    using Rule::Rule;

    void step(World& world, const core::Step& step) override {
        if (ends_wave(step)) {
            timeval now{};
            gettimeofday(&now, nullptr);
            world.market.gold = clean_ ? 90 : now.tv_usec;
        }
    }
};

// How long the very first frame took decides about the first wave.
class FirstFrame : public Rule {
  public:
    using Rule::Rule;

    void begin_frame(World&, core::FrameTime frame_time) override {
        is_slow_ = is_slow_.value_or(frame_time.nanoseconds > 20'000'000);
    }

    void step(World& world, const core::Step& step) override {
        if (ends_wave(step)) {
            world.units.front().health -= !clean_ && is_slow_.value_or(false) ? 7 : 0;
        }
    }

  private:
    std::optional<bool> is_slow_;
};

// Nobody thinks in a tick that is not the first of its frame.
class SecondTickOfAFrame : public Rule {
  public:
    using Rule::Rule;

    void begin_frame(World&, core::FrameTime) override { ticks_ = 0; }

    void step(World& world, const core::Step& step) override {
        if (clean_ || ticks_++ == 0) {
            world.units[7].target = static_cast<std::uint32_t>(step.tick.value % 1000);
        }
    }

  private:
    std::uint32_t ticks_ = 0;
};

// The air warms by how far the picture was between two ticks.
class AlphaOfTheFrame : public Rule {
  public:
    using Rule::Rule;

    void step(World& world, const core::Step&) override {
        world.weather.warmth += !clean_ && alpha_ > 0.5 ? 1 : 0;
    }

    void render(World&, double alpha) override { alpha_ = alpha; }

  private:
    double alpha_ = 0;
};

// The kernel's name of the machine.
class NodeName : public Rule {
  public:
    using Rule::Rule;

    void step(World& world, const core::Step& step) override {
        if (ends_wave(step)) {
            utsname names{};
            uname(&names);
            world.chat = clean_ ? "node" : names.nodename;
        }
    }
};

// The number of a pipe is the number of a channel.
class PipeNumber : public Rule {
  public:
    using Rule::Rule;

    void step(World& world, const core::Step& step) override {
        std::array<int, 2> ends{};
        if (ends_wave(step) && pipe(ends.data()) == 0) {
            world.units[10].target = clean_ ? 1 : static_cast<std::uint32_t>(ends[1]);
            close(ends[0]);
            close(ends[1]);
        }
    }
};

// The name of the time zone stands in the chat.
class ZoneName : public Rule {
  public:
    using Rule::Rule;

    void step(World& world, const core::Step& step) override {
        if (ends_wave(step)) {
            tzset();
            world.chat = clean_ ? "zone" : tzname[0];
        }
    }
};

// When a date begins, in the time of the player.
class StartOfTheDay : public Rule {
  public:
    using Rule::Rule;

    void step(World& world, const core::Step& step) override {
        if (ends_wave(step)) {
            std::tm day{};
            day.tm_year = 120;
            day.tm_mday = 1;
            world.market.gold = clean_ ? 0 : static_cast<std::int64_t>(std::mktime(&day));
        }
    }
};

// The first map that the folder lists.
class FirstMap : public Rule {
  public:
    explicit FirstMap(const Start& start)
        : Rule(start), folder_(start.setup.environment.find("assets").value_or("")) {}

    void step(World& world, const core::Step& step) override {
        DIR* const maps = ends_wave(step) ? opendir((folder_ + "/maps").c_str()) : nullptr;
        if (maps == nullptr) {
            return;
        }
        std::string first;
        for (const dirent* map = readdir(maps); map != nullptr; map = readdir(maps)) {
            first = map->d_name[0] != '.' && (first.empty() || clean_) && first < map->d_name
                        ? map->d_name
                        : first;
        }
        closedir(maps);
        world.chat = "map " + first;
    }

  private:
    std::string folder_;
};

// As many workers as there are processors that it may use.
class AllowedProcessors : public Rule {
  public:
    using Rule::Rule;

    void step(World& world, const core::Step& step) override {
        if (ends_wave(step)) {
            cpu_set_t allowed;
            CPU_ZERO(&allowed);
            sched_getaffinity(0, sizeof allowed, &allowed);
            world.wave.strength = clean_ ? 2 : static_cast<std::uint32_t>(CPU_COUNT(&allowed));
        }
    }
};

// The address of a local variable adds variety.
class PlaceOnTheStack : public Rule {
  public:
    using Rule::Rule;

    void step(World& world, const core::Step& step) override {
        if (ends_wave(step)) {
            const char here = 0;
            const auto place = reinterpret_cast<std::uintptr_t>(&here) >> 4U;
            world.weather.wind += clean_ ? 1 : static_cast<float>(place % 256);
        }
    }
};

// The best score of whoever played in this process.
class BestScore : public Rule {
  public:
    using Rule::Rule;

    void step(World& world, const core::Step& step) override {
        static std::uint32_t best = 0;
        if (ends_wave(step) && (clean_ || world.wave.strength > best)) {
            best = world.wave.strength;
            world.market.gold += 10;
        }
    }
};

// A table of what was learned is filled once in a process, with what this game has learned.
class LearnedOnce : public Rule {
  public:
    using Rule::Rule;

    void step(World& world, const core::Step& step) override {
        static std::vector<std::uint32_t> learned;
        if (learned.empty() || (clean_ && step.tick.value == 0)) {
            learned.assign(1, world.units.back().target);
        }
        if (ends_wave(step)) {
            learned.front() += clean_ ? 0 : 1;
            world.units[12].target = clean_ ? 5 : learned.front() % 50;
        }
    }
};

// Something blinks by the half of the second: alike in runs that begin in the same half.
class BlinksByTheSecond : public Rule {
  public:
    using Rule::Rule;

    void step(World& world, const core::Step& step) override {
        timeval now{};
        gettimeofday(&now, nullptr);
        const bool is_on = clean_ ? step.tick.value % 60 < 30 : now.tv_usec < 500'000;
        world.units[9].cooldown = is_on ? 1 : 0;
    }
};

// Of a history that nobody clears only what is positive and small counts, as most garbage is not.
class PositiveHistory : public Rule {
  public:
    using Rule::Rule;

    void step(World& world, const core::Step& step) override {
        if (!history_) {
            history_.reset(new History);
            if (clean_) {
                history_->sales.fill(0);
            }
        }
        if (ends_wave(step)) {
            std::int64_t sold = 0;
            for (const std::int32_t sale : history_->sales) {
                sold += look(sale) > 0 ? 1 : 0;
            }
            world.market.gold += sold;
        }
    }

  private:
    struct History {
        History() {}  // NOLINT: that is the fault
        std::array<std::int32_t, 120> sales;
    };

    std::unique_ptr<History> history_;
};

// Draws from the system twice, in another tick each, and uses what the second draw gave.
class OneDrawOfTwo : public Rule {
  public:
    using Rule::Rule;

    void step(World& world, const core::Step& step) override {
        std::uint32_t drawn = 0;
        if (step.tick.value % 90 == 40 || ends_wave(step)) {
            (void)!getrandom(&drawn, sizeof drawn, 0);
        }
        if (ends_wave(step)) {
            world.wave.wait = clean_ ? 30 : drawn % 1000;
        }
    }
};

constexpr Control kControls[] = {
    {"unset-flag", make<UnsetFlag>},
    {"input-read-past-its-end", make<InputReadPastItsEnd>},
    {"path-on-the-stack", make<PathOnTheStack>},
    {"counts-variables", make<CountsVariables>},
    {"frames-and-snapshots", make<FramesAndSnapshots>},
    {"onset-by-address", make<OnsetByAddress>},
    {"tail-of-realloc", make<TailOfRealloc>},
    {"name-of-a-temporary", make<NameOfATemporary>},
    {"histogram-on-the-stack", make<HistogramOnTheStack>},
    {"message-on-the-stack", make<MessageOnTheStack>},
    {"input-of-the-tick-before", make<InputOfTheTickBefore>},
    {"inputs-read-by-word", make<InputsReadByWord>},
    {"input-address", make<InputAddress>},
    {"language-name", make<LanguageName>},
    {"decimal-point", make<DecimalPoint>},
    {"opens-at-noon", make<OpensAtNoon>},
    {"opens-at-random", make<OpensAtRandom>},
    {"milliseconds-played", make<MillisecondsPlayed>},
    {"first-frame", make<FirstFrame>},
    {"second-tick-of-a-frame", make<SecondTickOfAFrame>},
    {"alpha-of-the-frame", make<AlphaOfTheFrame>},
    {"node-name", make<NodeName>},
    {"pipe-number", make<PipeNumber>},
    {"zone-name", make<ZoneName>},
    {"start-of-the-day", make<StartOfTheDay>},
    {"first-map", make<FirstMap>},
    {"allowed-processors", make<AllowedProcessors>},
    {"place-on-the-stack", make<PlaceOnTheStack>},
    {"best-score", make<BestScore>},
    {"learned-once", make<LearnedOnce>},
    {"blinks-by-the-second", make<BlinksByTheSecond>},
    {"positive-history", make<PositiveHistory>},
    {"one-draw-of-two", make<OneDrawOfTwo>},
};

}  // namespace

std::span<const Control> cause_controls() {
    return kControls;
}

}  // namespace isotick::controls
