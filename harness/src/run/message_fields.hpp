#pragma once
// What of a message is not simply its members: types with rules, last enumerators, exceptions.

#include "../imports/captures.hpp"
#include "job.hpp"
#include "message_archives.hpp"

#include <isotick/core/detail/settings.hpp>
#include <isotick/core/detail/simulation_table.hpp>
#include <isotick/core/hash.hpp>
#include <isotick/core/loops.hpp>
#include <isotick/core/result.hpp>
#include <isotick/core/schedule.hpp>
#include <isotick/core/time.hpp>
#include <isotick/harness/detail/probe.hpp>
#include <isotick/harness/detail/simulation_catalog.hpp>

#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <tuple>
#include <utility>
#include <variant>
#include <vector>

namespace isotick::harness {

// Types of core in messages. What has rules is made by its own functions again, which refuse what
// breaks them.

template <class T>
[[nodiscard]] T value_or_throw(core::Result<T> result) {
    if (!result) {
        throw std::invalid_argument(result.error().message);
    }
    return *std::move(result);
}

/// The frames of a capture: the path of a file that only this run knows, or, where somebody else
/// made them, one by one.
using CarriedFrames = std::variant<std::string, std::vector<std::int64_t>>;

/// Of all captures that a schedule names, in the order of its text.
[[nodiscard]] inline std::vector<CarriedFrames> carried_frames(const core::Schedule& schedule) {
    std::vector<CarriedFrames> all;
    for (const core::ScheduleItem& item : schedule.items()) {
        if (item.capture.capture) {
            const core::CapturedFrames& frames = *item.capture.capture->frames;
            std::string path = stored_path(frames);
            if (path.empty()) {
                all.emplace_back(std::vector(frames.ends().begin(), frames.ends().end()));
            } else {
                all.emplace_back(std::move(path));
            }
        }
    }
    return all;
}

[[nodiscard]] inline core::Schedule schedule_of(const std::string& text,
                                                std::vector<CarriedFrames> captures) {
    std::size_t next = 0;
    const auto resolve = [&](const std::string&) {
        CarriedFrames& frames = captures.at(next++);
        const auto* path = std::get_if<std::string>(&frames);
        return path != nullptr ? open_stored_frames(*path)
                               : core::CapturedFrames::own(
                                     std::get<std::vector<std::int64_t>>(std::move(frames)));
    };
    return value_or_throw(core::Schedule::parse(text, resolve));
}

template <>
struct CarriedAs<core::TickRate> {
    using Fraction = std::pair<std::uint32_t, std::uint32_t>;
    static Fraction to(const core::TickRate& rate) {
        return {rate.numerator(), rate.denominator()};
    }
    static core::TickRate from(const Fraction& fraction) {
        return value_or_throw(core::TickRate::make(fraction.first, fraction.second));
    }
};

template <>
struct CarriedAs<core::Settings> {
    using Entries = std::vector<core::Settings::Entry>;
    static Entries to(const core::Settings& settings) {
        return {settings.entries().begin(), settings.entries().end()};
    }
    static core::Settings from(Entries entries) {
        core::Settings settings;
        for (auto& [key, value] : entries) {
            if (auto set = settings.set(std::move(key), std::move(value)); !set) {
                throw std::invalid_argument(set.error().message);
            }
        }
        return settings;
    }
};

template <>
struct CarriedAs<core::LoopOptions> {
    static std::string to(const core::LoopOptions& loop) { return to_string(loop); }
    static core::LoopOptions from(const std::string& text) {
        return value_or_throw(core::parse_loop(text));
    }
};

template <>
struct CarriedAs<core::Schedule> {
    using Parts = std::pair<std::string, std::vector<CarriedFrames>>;
    static Parts to(const core::Schedule& schedule) {
        return {schedule.to_string(), carried_frames(schedule)};
    }
    static core::Schedule from(Parts parts) {
        return schedule_of(parts.first, std::move(parts.second));
    }
};

/// And whose word it is.
template <>
struct CarriedAs<SimulationName> {
    using Parts = std::pair<std::string, bool>;
    static Parts to(const SimulationName& name) { return {name.text(), name.is_recorded()}; }
    static SimulationName from(Parts parts) {
        return parts.second ? SimulationName::recorded(std::move(parts.first))
                            : SimulationName::chosen(std::move(parts.first));
    }
};

/// A worker makes no file of its own: record_in_worker gives it one.
template <>
inline constexpr std::tuple kNotCarried<RecordPlan>{&RecordPlan::overwrite,
                                                    &RecordPlan::appearance};
template <>
inline constexpr auto kOnArrival<RecordPlan> = [](RecordPlan& plan) {
    plan.appearance = replay::Appearance::filled_in;
    if (!plan.recorded_inputs.empty()) {
        plan.inputs = InputSource::recording;
    } else if (plan.inputs == InputSource::recording) {
        throw std::invalid_argument("inputs of no recording");
    }
};

// What the parent adds to an answer.
template <>
inline constexpr std::tuple kNotCarried<TrialResult>{&TrialResult::output, &TrialResult::fresh,
                                                     &TrialResult::stack};
template <>
inline constexpr std::tuple kNotCarried<RecordResult>{&RecordResult::output};
template <>
inline constexpr std::tuple kNotCarried<ProbeResult>{&ProbeResult::output};

template <>
inline constexpr auto kLastOf<core::ErrorCode> = core::ErrorCode::simulation;
template <>
inline constexpr auto kLastOf<RestoreOutcome> = RestoreOutcome::unsettled;
template <>
inline constexpr auto kLastOf<RestoreWay> = RestoreWay::fresh;
template <>
inline constexpr auto kLastOf<TransplantOutcome> = TransplantOutcome::absent;
template <>
inline constexpr auto kLastOf<PoisonOutcome> = PoisonOutcome::absent;
template <>
inline constexpr auto kLastOf<RepairOutcome> = RepairOutcome::crashed;
template <>
inline constexpr auto kLastOf<ResetOutcome> = ResetOutcome::future;
template <>
inline constexpr auto kLastOf<InputEditKind> = InputEditKind::replace;
template <>
inline constexpr auto kLastOf<HashFile::Use> = HashFile::Use::compare;
template <>
inline constexpr auto kLastOf<replay::Appearance> = replay::Appearance::filled_in;
template <>
inline constexpr auto kLastOf<InputSource> = InputSource::recording;
template <>
inline constexpr auto kLastOf<ProbeKind> = ProbeKind::writer;
template <>
inline constexpr auto kLastOf<Verdict> = Verdict::inconclusive;
template <>
inline constexpr auto kLastOf<Activity> = Activity::visiting;
template <>
inline constexpr auto kLastOf<Source> = Source::containers;

}  // namespace isotick::harness
