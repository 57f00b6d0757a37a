#pragma once
// Types of core in messages. What has rules is made by its own functions again, which refuse what
// breaks them.

#include "../capture/stored_frames.hpp"
#include "one_field.hpp"

#include <isotick/core/detail/adapter/simulation_table.hpp>
#include <isotick/core/detail/seam/settings.hpp>
#include <isotick/core/hash.hpp>
#include <isotick/core/loops.hpp>
#include <isotick/core/result.hpp>
#include <isotick/core/schedule.hpp>
#include <isotick/core/time.hpp>

#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace isotick::harness {

template <>
inline constexpr auto kLastOf<core::ErrorCode> = core::ErrorCode::simulation;

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

}  // namespace isotick::harness

// Where cereal finds them.
namespace isotick::core {

template <class Archive>
void serialize(Archive& archive, Tick& tick) {
    archive(tick.value);
}

template <class Archive>
void serialize(Archive& archive, FrameTime& time) {
    archive(time.nanoseconds);
}

template <class Archive>
void serialize(Archive& archive, StateHash& hash) {
    archive(hash.value);
}

template <class Archive>
void serialize(Archive& archive, PartHash& hash) {
    archive(hash.value);
}

template <class Archive>
void serialize(Archive& archive, Digest& digest) {
    archive(digest.low, digest.high);
}

template <class Archive>
void serialize(Archive& archive, Error& error) {
    auto& [code, message, file, offset, tick] = error;
    harness::archive_fields(archive, code, message, file, offset, tick);
}

template <class Archive>
void save(Archive& archive, const TickRate& rate) {
    archive(rate.numerator(), rate.denominator());
}
template <class Archive>
void load(Archive& archive, TickRate& rate) {
    std::uint32_t numerator = 0;
    std::uint32_t denominator = 0;
    archive(numerator, denominator);
    rate = harness::value_or_throw(TickRate::make(numerator, denominator));
}

template <class Archive>
void save(Archive& archive, const Settings& settings) {
    archive(settings.entries());
}
template <class Archive>
void load(Archive& archive, Settings& settings) {
    std::vector<Settings::Entry> entries;
    archive(entries);
    settings = Settings();
    for (auto& [key, value] : entries) {
        if (auto set = settings.set(std::move(key), std::move(value)); !set) {
            throw std::invalid_argument(set.error().message);
        }
    }
}

template <class Archive>
void save(Archive& archive, const LoopOptions& loop) {
    archive(to_string(loop));
}
template <class Archive>
void load(Archive& archive, LoopOptions& loop) {
    std::string text;
    archive(text);
    loop = harness::value_or_throw(parse_loop(text));
}

template <class Archive>
void save(Archive& archive, const Schedule& schedule) {
    archive(schedule.to_string(), harness::carried_frames(schedule));
}
template <class Archive>
void load(Archive& archive, Schedule& schedule) {
    std::string text;
    std::vector<harness::CarriedFrames> captures;
    archive(text, captures);
    schedule = harness::schedule_of(text, std::move(captures));
}

template <class Archive>
void serialize(Archive& archive, SimulationSetup& setup) {
    auto& [rate, players, seed, config, environment] = setup;
    harness::archive_fields(archive, rate, players, seed, config, environment);
}

}  // namespace isotick::core
