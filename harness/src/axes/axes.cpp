#include "axes.hpp"

#include "../system/preload.hpp"

#include <isotick/core/detail/try.hpp>
#include <isotick/core/hash.hpp>

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

namespace isotick::harness {

using core::ErrorCode;
using core::Result;

// Defined in *_axes.cpp, run/rollback.cpp and peers/peer_axis.cpp.
extern const Axis kAddressesAxis;
extern const Axis kBesideAxis;
extern const Axis kClockAxis;
extern const Axis kConfigAxis;
extern const Axis kCpuAxis;
extern const Axis kDescriptorsAxis;
extern const Axis kContainersAxis;
extern const Axis kDirectoryOrderAxis;
extern const Axis kEnvironmentAxis;
extern const Axis kEnvironmentBareAxis;
extern const Axis kEnvironmentSizeAxis;
extern const Axis kFpenvAxis;
extern const Axis kHeapAxis;
extern const Axis kHitchAxis;
extern const Axis kHostNameAxis;
extern const Axis kInputsAxis;
extern const Axis kLocaleAxis;
extern const Axis kPeerAxis;
extern const Axis kRandomAxis;
extern const Axis kReloadAxis;
extern const Axis kRestartAxis;
extern const Axis kRollbackAxis;
extern const Axis kStackAxis;
extern const Axis kThreadsAxis;
extern const Axis kTimeZoneAxis;
extern const Axis kTimestampCounterAxis;
extern const Axis kWorkingDirectoryAxis;

namespace {

// In the order in which they are tried.
constexpr std::array kAxes{&kRollbackAxis,
                           &kReloadAxis,
                           &kRestartAxis,
                           &kBesideAxis,
                           &kClockAxis,
                           &kRandomAxis,
                           &kHeapAxis,
                           &kStackAxis,
                           &kInputsAxis,
                           &kHostNameAxis,
                           &kDirectoryOrderAxis,
                           &kContainersAxis,
                           &kLocaleAxis,
                           &kTimeZoneAxis,
                           &kEnvironmentSizeAxis,
                           &kDescriptorsAxis,
                           &kAddressesAxis,
                           &kThreadsAxis,
                           &kTimestampCounterAxis,
                           &kCpuAxis,
                           &kFpenvAxis,
                           &kHitchAxis,
                           &kWorkingDirectoryAxis,
                           &kEnvironmentBareAxis,
                           &kPeerAxis,
                           &kConfigAxis,
                           &kEnvironmentAxis};

std::string names() {
    std::string text;
    for (const Axis* axis : kAxes) {
        text += (text.empty() ? "" : ", ") + std::string(axis->name);
        text += axis->is_setting() ? "KEY" : "";
    }
    return text;
}

constexpr std::string_view kFromFrame = " from frame ";

struct ValueAndFrame {
    std::string_view value;
    std::optional<std::string_view> frame;  // none: with the trial
};

ValueAndFrame take_apart(const Axis* axis, std::string_view text) {
    const std::size_t from = text.rfind(kFromFrame);
    return axis == nullptr || !axis->can_start_mid_trial || from == text.npos
               ? ValueAndFrame{text, std::nullopt}
               : ValueAndFrame{text.substr(0, from), text.substr(from + kFromFrame.size())};
}

core::Pcg32 random_of(const std::string& name, std::uint64_t seed) {
    return core::Pcg32(core::derive_seed(seed, {core::hash_bytes(std::as_bytes(std::span(name)))}));
}

// Of a value that was checked.
Given given(const Axis& axis, const AxisValue& value) {
    return axis.parse(value.value).value_or(Given{value.value});
}

// 1, 4, 16 and so on, below `number`.
std::vector<std::string> powers_below(std::uint64_t number, std::uint64_t of) {
    std::vector<std::string> powers;
    for (std::uint64_t power = 1; power < number; power *= of) {
        powers.push_back(std::to_string(power));
    }
    return powers;
}

std::vector<std::string> plainer_texts(const Axis& axis, std::string_view value) {
    if (axis.plainer != nullptr) {
        return axis.plainer(value);
    }
    const std::uint64_t by = axis.numbers ? axis.numbers->plainer_by : 0;
    return by == 0 ? std::vector<std::string>()
                   : powers_below(axis.parse(value).value_or(Given()).number, by);
}

// `fixed or upward`
std::string choice_of(std::span<const std::string_view> words) {
    std::string text;
    for (std::size_t i = 0; i < words.size(); ++i) {
        text += (i == 0 ? "" : i + 1 == words.size() ? " or " : ", ") + std::string(words[i]);
    }
    return text;
}

// The value for that seed, whether it changes anything here or not.
AxisValue drawn(const Axis& axis, const std::string& name, std::uint64_t seed) {
    core::Pcg32 random = random_of(name, seed);
    random.below(axis.one_in);
    return {name, axis.draw_value(random)};
}

// Whether it changes something here, for a simulation with these capabilities.
bool bites(const AxisValue& value, std::uint64_t capabilities) {
    return why_not_varied(value.axis, capabilities).empty() && why_not_here(value).empty();
}

// The names of axes, and values, that may be to blame instead.
std::vector<std::string> brought_along(const std::vector<AxisValue>& values,
                                       bool fails_by_placebo) {
    std::vector<std::string> names;
    for (const AxisValue& value : values) {
        if (values.size() > 1) {
            names.push_back(value.axis);
        }
        if (const Axis* axis = find_axis(value.axis)) {
            names.insert(names.end(), axis->brings.begin(), axis->brings.end());
        }
    }
    if (fails_by_placebo) {
        names.emplace_back(kMovedByPlacebo);
    }
    return names;
}

// Those that change something here, of the names of axes and of values.
void add_values(std::vector<AxisValue>& found, const std::vector<std::string>& names,
                std::uint64_t capabilities) {
    const auto add = [&](AxisValue value) {
        if (bites(value, capabilities) && std::ranges::find(found, value) == found.end()) {
            found.push_back(std::move(value));
        }
    };
    for (const std::string& name : names) {
        constexpr std::uint64_t kOfEach = 8;
        if (const std::size_t equals = name.find('='); equals != name.npos) {
            add({name.substr(0, equals), name.substr(equals + 1)});
            continue;
        }
        for (std::uint64_t seed = 0; seed < kOfEach; ++seed) {
            if (auto value = draw_axis(name, seed)) {
                add(*std::move(value));
            }
        }
    }
}

}  // namespace

std::span<const Axis* const> axes() {
    return kAxes;
}

const Axis* find_axis(std::string_view name) {
    const auto found = std::ranges::find_if(kAxes, [name](const Axis* axis) {
        return axis->is_setting() ? name.starts_with(axis->name) && name != axis->name
                                  : name == axis->name;
    });
    return found == kAxes.end() ? nullptr : *found;
}

std::string key_of(const AxisValue& value) {
    const Axis* axis = find_axis(value.axis);
    return axis == nullptr ? "" : value.axis.substr(axis->name.size());
}

Result<void> check_value(const AxisValue& value) {
    const Axis* axis = find_axis(value.axis);
    if (axis == nullptr) {
        return core::fail(ErrorCode::usage,
                          "unknown axis '" + value.axis + "'; there are " + names());
    }
    const ValueAndFrame parts = take_apart(axis, value.value);
    const auto checked = [&]() -> Result<void> {
        if (parts.frame && parse_count(*parts.frame, UINT64_MAX).value_or(0) == 0) {
            return core::fail(ErrorCode::usage, "expected a frame from 1 up, not '" +
                                                    std::string(*parts.frame) + "'");
        }
        return axis->parse(parts.value).map([](const Given&) {});
    };
    return checked().map_error([&](core::Error error) {
        error.message = value.axis + ": " + error.message;
        return error;
    });
}

std::uint64_t first_frame(const AxisValue& value) {
    const ValueAndFrame parts = take_apart(find_axis(value.axis), value.value);
    return parts.frame ? parse_count(*parts.frame, UINT64_MAX).value_or(0) : 0;
}

AxisValue from_frame(AxisValue value, std::uint64_t frame) {
    value.value += std::string(kFromFrame) + std::to_string(frame);
    return value;
}

bool can_begin_on_the_way(const std::string& name) {
    const Axis* axis = find_axis(name);
    return axis != nullptr && axis->can_start_mid_trial;
}

std::vector<AxisValue> applied_in(const std::vector<AxisValue>& values, std::uint64_t frame) {
    std::vector<AxisValue> applied;
    for (const AxisValue& value : values) {
        if (first_frame(value) <= frame) {
            applied.push_back(
                {value.axis, std::string(take_apart(find_axis(value.axis), value.value).value)});
        }
    }
    return applied;
}

bool have_course(const std::vector<AxisValue>& values) {
    return std::ranges::any_of(values, [](const AxisValue& value) {
        const Axis* axis = find_axis(value.axis);
        return axis != nullptr && axis->to_course != nullptr;
    });
}

Result<std::optional<Course>> course_of(const std::vector<AxisValue>& values,
                                        const std::string& recording) {
    for (const AxisValue& value : values) {
        const Axis* axis = find_axis(value.axis);
        if (axis != nullptr && axis->to_course != nullptr) {
            return axis->to_course(value.value, recording).map([](Course&& course) {
                return std::optional(std::move(course));
            });
        }
    }
    return std::nullopt;
}

OtherInstances other_instances(const std::vector<AxisValue>& values) {
    OtherInstances others;
    bool has_course = false;
    for (const AxisValue& value : values) {
        const Axis* axis = find_axis(value.axis);
        if (axis == nullptr || (axis->to_course != nullptr && std::exchange(has_course, true))) {
            continue;  // the first course is the one that is run
        }
        if (axis->to_instances != nullptr) {
            axis->to_instances(given(*axis, value), others);
        }
    }
    return others;
}

ProcessSetup process_setup(const std::vector<AxisValue>& values) {
    ProcessSetup setup;
    for (const AxisValue& value : values) {
        if (const Axis* axis = find_axis(value.axis); axis != nullptr && axis->to_process) {
            axis->to_process(given(*axis, value), setup);
        }
    }
    return setup;
}

preload::Settings system_settings(const std::vector<AxisValue>& values) {
    preload::Settings settings;
    for (const AxisValue& value : values) {
        if (const Axis* axis = find_axis(value.axis); axis != nullptr && axis->to_system) {
            axis->to_system(given(*axis, value), settings);
        }
    }
    return settings;
}

CallSetup call_setup(const std::vector<AxisValue>& values) {
    CallSetup setup;
    for (const AxisValue& value : values) {
        if (const Axis* axis = find_axis(value.axis); axis != nullptr && axis->to_calls) {
            axis->to_calls(given(*axis, value), setup);
        }
    }
    return setup;
}

Result<void> apply(const std::vector<AxisValue>& values, core::SimulationSetup& setup) {
    for (const AxisValue& value : values) {
        const Axis* axis = find_axis(value.axis);
        if (axis != nullptr && axis->to_setup != nullptr) {
            ISOTICK_TRY(axis->to_setup(key_of(value), value.value, setup));
        }
    }
    return {};
}

std::string why_not_here(const AxisValue& value) {
    const Axis* axis = find_axis(value.axis);
    if (axis == nullptr) {
        return "there is no such axis";
    }
    if (axis->to_system != nullptr && !preload::is_available()) {
        return "what the system answers cannot be changed here";
    }
    return axis->why_not_here == nullptr ? "" : axis->why_not_here(given(*axis, value));
}

std::vector<AxisValue> draw_axes(std::span<const std::string> names, std::uint64_t seed) {
    std::vector<AxisValue> values;
    for (const std::string& name : names) {
        const Axis* axis = find_axis(name);
        if (axis == nullptr || random_of(name, seed).below(axis->one_in) != 0) {
            continue;
        }
        if (auto value = draw_axis(name, seed)) {
            values.push_back(*std::move(value));
        }
    }
    return values;
}

std::optional<AxisValue> draw_axis(const std::string& name, std::uint64_t seed) {
    const Axis* axis = find_axis(name);
    if (axis == nullptr || !axis->can_be_drawn()) {
        return std::nullopt;
    }
    AxisValue value = drawn(*axis, name, seed);
    return why_not_here(value).empty() ? std::optional(std::move(value)) : std::nullopt;
}

std::vector<AxisValue> within(std::vector<AxisValue> values, std::uint64_t ticks) {
    for (AxisValue& value : values) {
        if (const Axis* axis = find_axis(value.axis); axis != nullptr && axis->within != nullptr) {
            value.value = axis->within(value.value, ticks);
        }
    }
    return values;
}

std::vector<AxisValue> memory_values(std::uint64_t capabilities) {
    std::vector<AxisValue> values;
    for (const bool of_process : {false, true}) {
        for (const Axis* axis : kAxes) {
            if (!axis->of_memory || (axis->to_process != nullptr) != of_process) {
                continue;
            }
            for (const std::string_view value : axis->elsewhere) {
                const AxisValue tried{std::string(axis->name), std::string(value)};
                if (bites(tried, capabilities)) {
                    values.push_back(tried);
                }
            }
        }
    }
    return values;
}

std::vector<AxisValue> more_basic(const std::vector<AxisValue>& values, bool fails_by_placebo,
                                  std::uint64_t capabilities) {
    const Axis* only = values.size() == 1 ? find_axis(values.front().axis) : nullptr;
    const bool is_of_memory = only != nullptr && only->of_memory;
    std::vector<AxisValue> found =
        is_of_memory ? std::vector<AxisValue>() : memory_values(capabilities);
    add_values(found, brought_along(values, fails_by_placebo), capabilities);
    return found;
}

std::vector<AxisValue> side_effects(const AxisValue& value, std::uint64_t capabilities) {
    std::vector<AxisValue> found;
    add_values(found, brought_along({value}, false), capabilities);
    std::erase(found, value);  // one locale may stand for what another brings along
    return found;
}

std::vector<AxisValue> plainer(const AxisValue& value) {
    const Axis* axis = find_axis(value.axis);
    std::vector<AxisValue> found;
    const ValueAndFrame parts = take_apart(axis, value.value);
    if (parts.frame) {
        found.push_back({value.axis, std::string(parts.value)});
    }
    if (axis != nullptr) {
        for (std::string& plain : plainer_texts(*axis, parts.value)) {
            plain += value.value.substr(parts.value.size());
            found.push_back({value.axis, std::move(plain)});
        }
    }
    return found;
}

AxisValue placebo_of(const AxisValue& value) {
    return {std::string(value.axis.size(), '-'), value.value};
}

std::vector<std::string> drawn_axes(DrawnAxes which) {
    std::vector<std::string> names;
    for (const Axis* axis : kAxes) {
        const bool wanted = which == DrawnAxes::by_default ? axis->by_default
                            : which == DrawnAxes::all      ? !axis->by_name_only
                                                           : true;
        if (axis->can_be_drawn() && wanted) {
            names.emplace_back(axis->name);
        }
    }
    return names;
}

std::string why_not_varied(const std::string& name, std::uint64_t capabilities) {
    const Axis* axis = find_axis(name);
    const std::uint64_t missing = axis == nullptr ? 0 : axis->needs & ~capabilities;
    if ((missing & ISOTICK_CAN_SAVE) != 0) {
        return "the simulation takes no snapshots";
    }
    if ((missing & ISOTICK_MANY_INSTANCES) != 0) {
        return "there may be one instance at a time";
    }
    if (axis != nullptr && (axis->not_with & capabilities) != 0) {
        return axis->to_instances != nullptr ? "each instance is a process of its own"
                                             : "its calls go to another process";
    }
    if (axis == nullptr || !axis->can_be_drawn()) {
        return "nothing is drawn for it";
    }
    constexpr std::uint64_t kTries = 16;
    std::string why_not;
    for (std::uint64_t seed = 0; seed < kTries; ++seed) {
        why_not = why_not_here(drawn(*axis, name, seed));
        if (why_not.empty()) {
            break;
        }
    }
    return why_not;
}

bool is_of_process(const std::string& name) {
    const Axis* axis = find_axis(name);
    return axis != nullptr && axis->to_process != nullptr;
}

std::string Axis::draw_value(core::Pcg32& random) const {
    if (draw != nullptr) {
        return draw(random);
    }
    if (numbers) {
        const auto most = static_cast<std::uint32_t>(numbers->most);
        return std::to_string(1 +
                              random.below(numbers->most_drawn == 0 ? most : numbers->most_drawn));
    }
    return std::string(words[random.below(static_cast<std::uint32_t>(words.size()))]);
}

Result<Given> Axis::parse(std::string_view value) const {
    Given given{value};
    if (numbers) {
        ISOTICK_TRY_ASSIGN(given.number, parse_count(value, numbers->most));
        if (given.number < numbers->least) {
            return core::fail(ErrorCode::usage, "expected a number from " +
                                                    std::to_string(numbers->least) + " up, not " +
                                                    std::string(value));
        }
    }
    if (!words.empty()) {
        given.word = static_cast<std::size_t>(std::ranges::find(words, value) - words.begin());
        if (given.word == words.size()) {
            return core::fail(ErrorCode::usage, "expected " + choice_of(words) + ", not '" +
                                                    std::string(value) + "'");
        }
    }
    if (check != nullptr) {
        ISOTICK_TRY(check(value));
    }
    return given;
}

Meaning meaning_of(const Axis& axis, std::string_view value) {
    for (const Meaning& meaning : axis.meanings) {
        if (value.starts_with(meaning.setting)) {
            return meaning;
        }
    }
    return {"", axis.stands_for.empty() ? axis.varies : axis.stands_for, axis.look_at};
}

Result<std::uint64_t> parse_count(std::string_view value, std::uint64_t most) {
    std::uint64_t count = 0;
    const char* end = value.data() + value.size();
    const auto [read, error] = std::from_chars(value.data(), end, count);
    if (error != std::errc() || read != end || count > most) {
        return core::fail(ErrorCode::usage, "expected a whole number up to " +
                                                std::to_string(most) + ", not '" +
                                                std::string(value) + "'");
    }
    return count;
}

}  // namespace isotick::harness
