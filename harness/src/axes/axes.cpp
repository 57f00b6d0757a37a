#include "axes.hpp"

#include <isotick/core/detail/try.hpp>
#include <isotick/core/hash.hpp>

#include <algorithm>
#include <array>
#include <charconv>

namespace isotick::harness {

using core::ErrorCode;
using core::Result;

// Each in a file of its own.
extern const Axis kConfigAxis;
extern const Axis kCpuAxis;
extern const Axis kEnvironmentAxis;
extern const Axis kEnvironmentSizeAxis;
extern const Axis kMallocFillAxis;
extern const Axis kMallocThresholdAxis;
extern const Axis kPeerAxis;
extern const Axis kTimeZoneAxis;

namespace {

constexpr std::array kAxes{
    &kConfigAxis,     &kEnvironmentAxis,     &kCpuAxis,  &kEnvironmentSizeAxis,
    &kMallocFillAxis, &kMallocThresholdAxis, &kPeerAxis, &kTimeZoneAxis};

std::string names() {
    std::string text;
    for (const Axis* axis : kAxes) {
        text += (text.empty() ? "" : ", ") + std::string(axis->name);
        text += axis->is_setting() ? "KEY" : "";
    }
    return text;
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

Result<void> check(const AxisValue& value) {
    const Axis* axis = find_axis(value.axis);
    if (axis == nullptr) {
        return core::fail(ErrorCode::usage,
                          "unknown axis '" + value.axis + "'; there are " + names());
    }
    return axis->check == nullptr ? Result<void>()
                                  : axis->check(value.value).map_error([&](core::Error error) {
                                        error.message = value.axis + ": " + error.message;
                                        return error;
                                    });
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

ProcessSetup process_setup(const std::vector<AxisValue>& values) {
    ProcessSetup setup;
    for (const AxisValue& value : values) {
        if (const Axis* axis = find_axis(value.axis); axis != nullptr && axis->to_process) {
            axis->to_process(value.value, setup);
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

bool is_felt(const AxisValue& value) {
    const Axis* axis = find_axis(value.axis);
    return axis != nullptr && (axis->is_felt == nullptr || axis->is_felt(value.value));
}

std::vector<AxisValue> draw_axes(std::span<const std::string> names, std::uint64_t seed) {
    std::vector<AxisValue> drawn;
    for (const std::string& name : names) {
        const Axis* axis = find_axis(name);
        core::Pcg32 random(
            core::derive_seed(seed, {core::hash_bytes(std::as_bytes(std::span(name)))}));
        if (axis != nullptr && axis->draw != nullptr && random.below(2) == 1) {
            drawn.push_back({name, axis->draw(random)});
            if (!is_felt(drawn.back())) {
                drawn.pop_back();
            }
        }
    }
    return drawn;
}

bool is_felt_by_malloc(std::string_view) {
#if defined(__GLIBC__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
    return true;
#else
    return false;
#endif
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
