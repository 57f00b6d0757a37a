// The axes `restart`, `reload` and `beside`, and settings that must not matter.

#include "axes.hpp"
#include "axis.hpp"

#include <isotick/core/detail/try.hpp>
#include <isotick/replay/detail/survey.hpp>
#include <isotick/replay/reader.hpp>

#include <algorithm>
#include <array>

namespace isotick::harness {
namespace {

// The axes `restart`, `reload` and `beside`: other instances of the simulation, before the trial's
// or at the same time.

using core::ErrorCode;
using core::Result;

constexpr std::uint64_t kMostTicks = 1'000'000'000;

// Of a session: `120`, or `37%` of its ticks. Where it has any, one at least comes before.
struct Moment {
    std::uint64_t number = 0;
    bool percent = false;

    [[nodiscard]] std::uint64_t of(std::uint64_t ticks) const {
        return percent
                   ? std::max<std::uint64_t>(ticks / 100 * number + ticks % 100 * number / 100, 1)
                   : number;
    }
};

Result<Moment> parse_moment(std::string_view value) {
    const bool percent = value.ends_with('%');
    value.remove_suffix(percent ? 1 : 0);
    ISOTICK_TRY_ASSIGN(const std::uint64_t number, parse_count(value, percent ? 99 : kMostTicks));
    if (number == 0) {
        return core::fail(ErrorCode::usage, "before the first tick there is nothing to save");
    }
    return Moment{number, percent};
}

Result<void> check_moment(std::string_view value) {
    return parse_moment(value).map([](Moment) {});
}

std::string moment_within(std::string_view value, std::uint64_t ticks) {
    const auto moment = parse_moment(value);
    return moment ? std::to_string(std::min(moment->of(ticks), ticks)) : std::string(value);
}

std::string draw_moment(core::Pcg32& random) {
    return std::to_string(1 + random.below(99)) + "%";
}

Result<std::uint64_t> instance_ticks(const replay::Reader& reader, const std::string& recording) {
    if (const auto indexed = reader.indexed_ticks()) {
        return *indexed;
    }
    return replay::survey(recording).map([](const replay::Survey& survey) { return survey.ticks; });
}

// The rest of the session in nominal frames.
Result<Course> rest_of_session(std::string_view value, const std::string& recording) {
    ISOTICK_TRY_ASSIGN(const Moment moment, parse_moment(value));
    ISOTICK_TRY_ASSIGN(const auto reader, replay::Reader::open(recording));
    ISOTICK_TRY_ASSIGN(const std::uint64_t ticks, instance_ticks(reader, recording));
    const std::uint64_t first = moment.of(ticks);
    if (first > ticks) {
        return core::fail(ErrorCode::usage, "reload=" + std::string(value) +
                                                ": the session has only " + std::to_string(ticks) +
                                                " ticks");
    }
    return nominal_course(reader.head().session.rate, first, ticks);
}

constexpr std::array<std::string_view, 1> kInstanceBrings{"heap"};  // what others allocate and free
constexpr std::array<std::string_view, 4> kReloadBrings{"rollback=saves", "rollback=reloads",
                                                        "heap", "containers"};

}  // namespace

extern const Axis kRestartAxis;
const Axis kRestartAxis{
    .name = "restart",
    .varies = "ticks that another instance runs in the process and is destroyed after",
    .numbers = Numbers{.most = kMostTicks, .most_drawn = 240, .plainer_by = 4},
    .by_default = true,
    .one_in = 8,
    .not_with = kCalledFromAfar,
    .to_instances = [](const Given& value,
                       OtherInstances& others) { others.ticks_before = value.number; },
    .look_at =
        "what outlives an instance: a static, a global, a singleton, memory that is used again "
        "without being set, or an order by addresses",
    .stands_for = "another instance that ran earlier in the same process",
    .brings = kInstanceBrings};

extern const Axis kReloadAxis;
const Axis kReloadAxis{
    .name = "reload",
    .varies = "the tick at which an instance in a fresh process goes on from a snapshot",
    .check = check_moment,
    .draw = draw_moment,
    .by_default = true,
    .one_in = 8,
    .needs = ISOTICK_CAN_SAVE,
    .to_course = rest_of_session,
    .to_instances = [](const Given&, OtherInstances& others) { others.leave_snapshot = true; },
    .look_at =
        "what only the process that saved has, and the snapshot lacks: a static, a table made at "
        "the start, an address",
    .stands_for = "going on from a snapshot in a fresh process",
    .within = moment_within,
    .brings = kReloadBrings};

extern const Axis kBesideAxis;
const Axis kBesideAxis{
    .name = "beside",
    .varies = "the seed of another instance that is stepped in turns with this one",
    .numbers = kSeeds,
    .by_default = true,
    .one_in = 16,
    .needs = ISOTICK_MANY_INSTANCES,
    .not_with = kCalledFromAfar,
    .to_instances = [](const Given& value,
                       OtherInstances& others) { others.seed_beside = value.number; },
    .look_at = "what two instances in one process share: a static, a global, a singleton, a file",
    .stands_for = "another instance in the same process",
    .brings = kInstanceBrings};

// The axes `config.KEY` and `environment.KEY`: settings that a simulation is created with, such as
// the number of its workers. The session stays what it is, and must come out all the same.

namespace {

using core::Result;

Result<void> to_config(std::string_view key, std::string_view value, core::SimulationSetup& setup) {
    return setup.config.set(std::string(key), std::string(value));
}

Result<void> to_environment(std::string_view key, std::string_view value,
                            core::SimulationSetup& setup) {
    return setup.environment.set(std::string(key), std::string(value));
}

}  // namespace

extern const Axis kConfigAxis;
extern const Axis kEnvironmentAxis;
const Axis kConfigAxis{
    .name = "config.",
    .varies = "a setting of the recorded config",
    .to_setup = to_config,
    .look_at =
        "what this setting decides: work that is split differently may be summed in another order"};
const Axis kEnvironmentAxis{.name = "environment.",
                            .varies = "a setting of the simulation's environment",
                            .to_setup = to_environment,
                            .look_at =
                                "what this setting decides: work that is split otherwise "
                                "may add up in another order",
                            .users_alone = true};

std::optional<std::string> usual_value(const AxisValue& value, const core::SimulationSetup& setup) {
    const Axis* axis = find_axis(value.axis);
    const auto found = axis == &kConfigAxis        ? setup.config.find(key_of(value))
                       : axis == &kEnvironmentAxis ? setup.environment.find(key_of(value))
                                                   : std::nullopt;
    return found ? std::optional(std::string(*found)) : std::nullopt;
}

std::vector<std::string> unread_by(const core::Simulation& simulation,
                                   const std::vector<AxisValue>& values) {
    std::vector<std::string> unread;
    for (const AxisValue& value : values) {
        const Axis* axis = find_axis(value.axis);
        const bool read = !simulation.counts_reads() || axis == nullptr || !axis->is_setting() ||
                          (axis == &kConfigAxis ? simulation.has_read_config(key_of(value))
                                                : simulation.has_read_environment(key_of(value)));
        if (!read) {
            unread.push_back(value.axis);
        }
    }
    return unread;
}

}  // namespace isotick::harness
