#include "parameters.hpp"

#include <isotick/core/schedule.hpp>

#include <algorithm>
#include <array>

namespace isotick::core {
namespace {

using enum ParameterField;

constexpr Parameter kRate{rate, "rate"};
constexpr Parameter kSeed{seed, "seed", true, true};
constexpr Parameter kEvery{every, "every", true};

constexpr std::array kJitter{kRate, Parameter{duration, "spread"}, kSeed};
constexpr std::array kVsync{kRate, Parameter{share, "miss", true}, kSeed};
constexpr std::array kBimodal{Parameter{duration, "usual"}, Parameter{other_duration, "rare"},
                              Parameter{share, "share"}, kSeed};
constexpr std::array kHitches{kRate, Parameter{duration, "longest"}, kEvery, kSeed};
constexpr std::array kQuantised{kRate, Parameter{duration, "clock", false, true}};
constexpr std::array kStuck{kRate, Parameter{share, "share"}, kSeed};
constexpr std::array kBackwards{kRate, Parameter{share, "share"}, Parameter{duration, "most"},
                                kSeed};
constexpr std::array kBurst{kRate, Parameter{burst, "burst"}, kEvery, kSeed};
constexpr std::array kEdges{kRate, kSeed};
constexpr std::array kMix{kSeed};
constexpr std::array kCapture{Parameter{path, "path"}, Parameter{from, "from", true, true, true},
                              Parameter{length, "for", true, true, true},
                              Parameter{scale, "scale", true, true, true},
                              Parameter{loops, "loops", true, true, true}};

constexpr std::array kGenerators{
    Generator{FrameKind::jitter, "jitter", kJitter},
    Generator{FrameKind::vsync, "vsync", kVsync},
    Generator{FrameKind::bimodal, "bimodal", kBimodal},
    Generator{FrameKind::hitches, "hitches", kHitches},
    Generator{FrameKind::quantised, "quantised", kQuantised},
    Generator{FrameKind::stuck, "stuck", kStuck},
    Generator{FrameKind::backwards, "backwards", kBackwards},
    Generator{FrameKind::burst, "burst", kBurst},
    Generator{FrameKind::edges, "edges", kEdges},
    Generator{FrameKind::mix, "mix", kMix},
    Generator{FrameKind::capture, "capture", kCapture},
};

void copy_field(const ScheduleItem& item, ParameterField field, ScheduleItem& to) {
    switch (field) {
        case rate:
            to.rate = item.rate;
            break;
        case duration:
        case from:
            to.duration = item.duration;
            break;
        case other_duration:
        case length:
            to.other_duration = item.other_duration;
            break;
        case share:
            to.per_mille = item.per_mille;
            break;
        case every:
        case scale:
            to.every = item.every;
            break;
        case burst:
            to.burst_frames = item.burst_frames;
            to.duration = item.duration;
            break;
        case seed:
            to.seed = item.seed;
            break;
        case path:
            to.capture = item.capture;
            break;
        case loops:  // is in the count
            break;
    }
}

std::optional<std::string> check_rate(const std::optional<TickRate>& each) {
    const auto most = std::uint64_t{kMostGeneratorRate};
    if (each && (each->numerator() > most * each->denominator() ||
                 each->denominator() > most * each->numerator())) {
        return "a rate from 1/1000000hz to 1000000hz";
    }
    return std::nullopt;
}

std::optional<std::string> check_duration(FrameKind kind, FrameTime each) {
    if (kind == FrameKind::quantised) {
        const bool is_clock = each.nanoseconds >= 1 && each.nanoseconds <= kCoarsestClock;
        return is_clock ? std::nullopt : std::optional<std::string>("a clock of 1ns to 1s");
    }
    // What a hitch adds and a clock goes back is never nothing.
    const bool is_positive = kind == FrameKind::hitches || kind == FrameKind::backwards;
    if (each.nanoseconds < (is_positive ? 1 : 0) || each.nanoseconds > kLongestDuration) {
        return is_positive ? "a duration from 1ns to 3600s" : "a duration from 0ms to 3600s";
    }
    return std::nullopt;
}

}  // namespace

std::span<const Generator> generators() {
    return kGenerators;
}

const Generator* find_generator(std::string_view name) {
    const auto* const found = std::ranges::find(kGenerators, name, &Generator::name);
    return found == kGenerators.end() ? nullptr : found;
}

const Generator* find_generator(FrameKind kind) {
    const auto* const found = std::ranges::find(kGenerators, kind, &Generator::kind);
    return found == kGenerators.end() ? nullptr : found;
}

ScheduleItem canonical(const ScheduleItem& item) {
    ScheduleItem result{.kind = item.kind, .count = item.count};
    if (item.kind == FrameKind::frame) {
        result.duration = item.duration;
    } else if (item.kind == FrameKind::steady) {
        result.rate = item.rate;
    } else {
        for (const Parameter& each : find_generator(item.kind)->parameters) {
            copy_field(item, each.field, result);
        }
    }
    return result;
}

void append_item(std::vector<ScheduleItem>& items, const ScheduleItem& item) {
    const auto is_plain = [](const ScheduleItem& each) { return each.kind == FrameKind::frame; };
    if (!items.empty() && is_plain(item) && is_plain(items.back()) &&
        items.back().duration == item.duration &&
        items.back().count <= kMostItemFrames - item.count) {
        items.back().count += item.count;
    } else {
        items.push_back(item);
    }
}

std::optional<std::string> check_parameter(const ScheduleItem& item, ParameterField field) {
    switch (field) {
        case rate:
            return check_rate(item.rate);
        case duration:
            return check_duration(item.kind, item.duration);
        case other_duration:
            return check_duration(item.kind, item.other_duration);
        case share:
            return item.per_mille <= 1000 ? std::nullopt : std::optional("at most 100%");
        case every:
            return item.every >= 1 && item.every <= kMostEvery
                       ? std::nullopt
                       : std::optional("a number from 1 to 1000000000");
        case burst:
            if (item.burst_frames < 1 || item.burst_frames > kMostBurstFrames) {
                return "a burst of 1 to 1000000 frames";
            }
            return check_duration(item.kind, item.duration);
        case from:
            return item.duration.nanoseconds >= 0 ? std::nullopt
                                                  : std::optional("a duration from 0ms");
        case length:
            return item.other_duration.nanoseconds >= 0 ? std::nullopt
                                                        : std::optional("a duration from 1ns");
        case scale:
            return item.every >= 1 && item.every <= kMostScale
                       ? std::nullopt
                       : std::optional("a scale from 0.1% to 10000%");
        case seed:
        case path:
        case loops:
            return std::nullopt;
    }
    return std::nullopt;
}

FrameRange captured_range(const ScheduleItem& item) {
    const auto ends = item.capture.capture->frames->ends();
    // The first frame that begins at `time` or later: the one after the first that ends there.
    const auto first_from = [ends](std::uint64_t time) {
        const auto found = std::ranges::lower_bound(
            ends, time, {}, [](std::int64_t end) { return static_cast<std::uint64_t>(end); });
        const auto index = static_cast<std::size_t>(found - ends.begin()) + 1;
        return time == 0 ? 0 : std::min(index, ends.size());
    };
    const auto from = static_cast<std::uint64_t>(item.duration.nanoseconds);
    const auto length = static_cast<std::uint64_t>(item.other_duration.nanoseconds);
    return {first_from(from), length == 0 ? ends.size() : first_from(from + length)};
}

std::optional<std::string> check_item(const ScheduleItem& item) {
    if (item.count > kMostItemFrames) {
        return "at most 1000000000000 frames in an item";
    }
    const bool must_end = item.kind == FrameKind::frame || item.kind == FrameKind::capture;
    if (must_end && item.count == kEndless) {
        return "a count of frames above zero";
    }
    const Capture* const capture = item.capture.capture.get();
    if (item.kind == FrameKind::capture && (capture == nullptr || !capture->frames)) {
        return "a capture with frames";
    }
    const Generator* const generator = find_generator(item.kind);
    if (generator != nullptr) {
        for (const Parameter& each : generator->parameters) {
            if (auto problem = check_parameter(item, each.field)) {
                return problem;
            }
        }
    }
    if (item.kind == FrameKind::capture && captured_range(item).size() == 0) {
        return "a part of the capture in which a frame begins: it lasts " +
               to_string(capture->frames->length());
    }
    return std::nullopt;
}

}  // namespace isotick::core
