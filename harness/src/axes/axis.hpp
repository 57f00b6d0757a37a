#pragma once
// What an axis is: its name, values, random draw, and how it changes a process or the calls.

#include "../system/float_control.hpp"
#include "../system/page.hpp"

#include <isotick/core/plugin.h>
#include <isotick/core/random.hpp>
#include <isotick/core/result.hpp>
#include <isotick/core/simulation.hpp>
#include <isotick/harness/detail/course.hpp>

#include <chrono>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace isotick::harness {

// How a trial calls its simulation, where that differs from the usual.

struct CallSetup {
    // For each call.
    std::optional<std::uint8_t> stack_fill;    ///< fills the stack below the caller
    std::optional<std::uint64_t> inputs_seed;  ///< inputs are moved to places drawn from it
    std::optional<FloatChange> float_change;
    std::chrono::milliseconds hitch{0};  ///< a delay in some frames
    std::string working_directory;       ///< empty: as it is

    // From before the simulation is created until it is gone.
    std::string locale;             ///< empty: as it is
    std::uint32_t descriptors = 0;  ///< how many more are open

    [[nodiscard]] bool is_usual() const { return *this == CallSetup(); }
    friend bool operator==(const CallSetup&, const CallSetup&) = default;
};

// An axis: something that must not matter, and that a trial may vary.

/// How the process of a trial is started, where that differs from the usual.
struct ProcessSetup {
    /// Variables of the environment, in place of those of the same name.
    std::vector<std::pair<std::string, std::string>> variables;
    /// What GLIBC_TUNABLES tells glibc, after what the user puts there: the last one counts.
    std::vector<std::pair<std::string, std::string>> tunables;
    /// Keeps only those of this process's variables that programs may need in order to start.
    bool bare_environment = false;
    unsigned long personality = 0;  ///< bits of personality(2), on Linux

    void tune(std::string_view name, std::string_view value) { tunables.emplace_back(name, value); }
    [[nodiscard]] bool is_usual() const { return *this == ProcessSetup(); }
    friend bool operator==(const ProcessSetup&, const ProcessSetup&) = default;
};

/// Instances of the simulation besides the one that a trial is about.
struct OtherInstances {
    /// Before the trial, one runs this many ticks of the session in its process and is destroyed.
    std::optional<std::uint64_t> ticks_before;
    /// One runs in another process up to the trial's first tick and saves what the trial loads.
    bool leave_snapshot = false;
    /// One with this seed runs in the same process, a tick after each tick of the trial.
    std::optional<std::uint64_t> seed_beside;
};

/// The values of an axis that counts something, or is a seed. 0 is never drawn.
struct Numbers {
    std::uint64_t least = 0;
    std::uint64_t most = 0;
    std::uint32_t most_drawn = 0;  ///< the largest that is drawn; 0: `most`
    /// Plainer than a value are 1 and this number's powers, as far as they are less; 0: none.
    std::uint64_t plainer_by = 0;
};
inline constexpr Numbers kSeeds{.least = 1, .most = 9999};

/// A value of an axis: its text, and what the text stands for if the axis has numbers or words.
struct Given {
    std::string_view text;
    std::uint64_t number = 0;
    std::size_t word = 0;  ///< its place among the words
};

/// What a value of an axis that has several settings changes, and where to look then.
struct Meaning {
    std::string_view setting;  ///< of values that begin so: `fill`
    std::string_view changes;
    std::string_view look_at;
};

/// What an axis is called and what it can do; a null pointer means that it does not do that. Values
/// are numbers, words from a list, or texts; `check` accepts a text before any other function sees
/// it.
struct Axis {
    std::string_view name;    ///< `environment-size`; one that ends in a dot is followed by a key
    std::string_view varies;  ///< what, in words: for help and reports
    std::optional<Numbers> numbers{};
    std::span<const std::string_view> words{};
    core::Result<void> (*check)(std::string_view value) = nullptr;
    /// Null: draws one of its numbers or words; if it has neither, only users choose its values.
    std::string (*draw)(core::Pcg32& random) = nullptr;
    /// `--perturb default` draws it too.
    bool by_default = false;
    /// Nearly every simulation depends on it: `--perturb all` leaves it out.
    bool by_name_only = false;
    /// It differs from run to run by itself: a trial that it alone changes is nondeterministic.
    bool by_chance = false;
    /// Of the trials that mix axes, one in this many draws it.
    std::uint32_t one_in = 2;
    std::uint64_t needs = 0;     ///< capabilities of the simulation, as in isotick_info
    std::uint64_t not_with = 0;  ///< capabilities of simulations that it does not affect
    /// Why a value changes nothing on this machine; empty: it does. May first make what the value
    /// needs, such as a locale. Null: every value changes something.
    std::string (*why_not_here)(const Given& value) = nullptr;
    /// Values that are plainer than `value`, the plainest first. The plainest of all is to leave
    /// the axis as it is, which is tried anyway. Null: see Numbers::plainer_by.
    std::vector<std::string> (*plainer)(std::string_view value) = nullptr;
    /// Applies it before the process of the trial starts.
    void (*to_process)(const Given& value, ProcessSetup& process) = nullptr;
    /// Applies it where the simulation is created. `key` is what follows the name.
    core::Result<void> (*to_setup)(std::string_view key, std::string_view value,
                                   core::SimulationSetup& setup) = nullptr;

    /// What a simulation must have asked the system for, if the axis changes nothing else.
    std::optional<Source> source{};
    /// Only trials with this axis can tell whether it has: others never show the source.
    bool source_seen_only_with_it = false;
    /// Applies it to what the system answers, starting when the simulation is created.
    void (*to_system)(const Given& value, preload::Settings& settings) = nullptr;
    /// Applies it to how the simulation is called, in the process that the trial runs in.
    void (*to_calls)(const Given& value, CallSetup& calls) = nullptr;
    /// It may also start during a trial: `165 from frame 1200`. No function here sees what follows
    /// the value. Only for axes that have to_system or to_calls, and nothing else.
    bool can_start_mid_trial = false;

    /// What a trial of that recording does frame by frame, in place of its loop and schedule.
    core::Result<Course> (*to_course)(std::string_view value,
                                      const std::string& recording) = nullptr;

    /// Asks for other instances.
    void (*to_instances)(const Given& value, OtherInstances& others) = nullptr;

    /// Where to look in the simulation's code if it makes a trial fail, in words: what reads it, or
    /// what to do instead.
    std::string_view look_at{};
    /// In the place of `stands_for` and `look_at`, of an axis whose settings are different things.
    std::span<const Meaning> meanings{};

    /// Values that a failing nominal replay is also tried with: if it then differs, this is why.
    std::span<const std::string_view> elsewhere{};
    /// In words: what is ruled out if it does not differ, and what the cause is if it does; empty:
    /// `varies`.
    std::string_view stands_for{};

    /// A value with the same effect within the first ticks of a session; null: the value itself.
    std::string (*within)(std::string_view value, std::uint64_t ticks) = nullptr;

    /// It varies what memory holds or where it lies: what a fault of memory shows by best, which
    /// other axes, frames or chance may show as well. Tried by the values of `elsewhere`.
    bool of_memory = false;
    /// Axes that it varies too, without meaning to, or values of them (`heap=fill 165`): what fails
    /// by one of those alone is its fault.
    std::span<const std::string_view> brings{};

    /// No file may choose its value, which may name what is opened or run.
    bool users_alone = false;

    [[nodiscard]] bool is_setting() const { return name.back() == '.'; }
    [[nodiscard]] bool can_be_drawn() const { return draw || numbers || !words.empty(); }
    [[nodiscard]] std::string draw_value(core::Pcg32& random) const;
    /// Fails where it has no such value.
    [[nodiscard]] core::Result<Given> parse(std::string_view value) const;
};

/// For Axis::not_with, of axes that do not reach the process that queued calls go to.
inline constexpr std::uint64_t kCalledFromAfar = ISOTICK_QUEUES_CALLS;

/// What that value of the axis changes, and where to look.
[[nodiscard]] Meaning meaning_of(const Axis& axis, std::string_view value);

/// The value of an axis that counts something. Fails above `most`.
[[nodiscard]] core::Result<std::uint64_t> parse_count(std::string_view value, std::uint64_t most);

}  // namespace isotick::harness
