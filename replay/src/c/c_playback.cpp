#include "c_support.hpp"

#include <isotick/core/detail/try.hpp>
#include <isotick/core/schedule.hpp>
#include <isotick/replay/isotick.h>
#include <isotick/replay/playback.hpp>

#include <utility>

struct isotick_playback {
    explicit isotick_playback(isotick::replay::Playback&& opened)
        : playback(std::move(opened)), head(playback.head()) {}

    isotick::replay::Playback playback;
    isotick::replay::c_api::HeadForC head;
    isotick::replay::c_api::HashesFromC hashes;
};

namespace {

using isotick::core::ErrorCode;
using isotick::core::Result;
using isotick::core::Tick;
using isotick::replay::PlaybackVerdict;
namespace core = isotick::core;
namespace replay = isotick::replay;
namespace c_api = isotick::replay::c_api;

core::LoopOptions loop_from_c(const isotick_playback_options& given) {
    core::LoopOptions loop;
    if (given.longest_frame_ns > 0) {
        loop.longest_frame = core::FrameTime{given.longest_frame_ns};
    } else if (given.longest_frame_ns < 0) {
        loop.longest_frame.reset();
    }
    if (given.most_ticks != 0) {
        loop.most_ticks = given.most_ticks;
    }
    return loop;
}

void take_slack(std::uint64_t given, std::optional<std::uint64_t>& slack) {
    if (given == ISOTICK_ANY_PACE) {
        slack.reset();
    } else if (given != 0) {
        slack = given == ISOTICK_NO_SLACK ? 0 : given;
    }
}

Result<replay::PlaybackOptions> playback_options_from_c(const isotick_playback_options* pointer) {
    ISOTICK_TRY_ASSIGN(const isotick_playback_options given, c_api::read_struct(pointer));
    replay::PlaybackOptions options;
    if (given.schedule != nullptr) {
        ISOTICK_TRY_ASSIGN(options.schedule, core::Schedule::parse(given.schedule));
    }
    options.loop = loop_from_c(given);
    take_slack(given.pace_slack, options.pace_slack);
    options.most_rollback = given.most_rollback;
    if (given.ticks != 0) {
        options.until = Tick{given.ticks - 1};
    }
    return options;
}

std::int32_t verdict_for_c(PlaybackVerdict verdict) {
    switch (verdict) {
        case PlaybackVerdict::identical:
            return ISOTICK_PLAYBACK_IDENTICAL;
        case PlaybackVerdict::diverged:
            return ISOTICK_PLAYBACK_DIVERGED;
        case PlaybackVerdict::off_pace:
            return ISOTICK_PLAYBACK_OFF_PACE;
        case PlaybackVerdict::out_of_order:
            return ISOTICK_PLAYBACK_OUT_OF_ORDER;
        case PlaybackVerdict::unreadable:
            return ISOTICK_PLAYBACK_UNREADABLE;
        case PlaybackVerdict::inconclusive:
            break;
    }
    return ISOTICK_PLAYBACK_INCONCLUSIVE;
}

isotick_playback_report report_for_c(const replay::PlaybackReport& found) {
    isotick_playback_report report{};
    report.verdict = verdict_for_c(found.verdict);
    report.ticks = found.ticks;
    report.frames = found.frames;
    report.hashes_compared = found.hashes_compared;
    if (found.divergence) {
        const auto& tick = found.divergence->tick;
        report.diverged_at = tick ? tick->value + 1 : 0;
        report.recorded = found.divergence->recorded.value;
        report.computed = found.divergence->computed.value;
    }
    return report;
}

}  // namespace

std::int32_t isotick_playback_open(const char* path, const isotick_playback_options* options,
                                   isotick_playback** out, isotick_message* message) {
    *out = nullptr;
    return c_api::guard(message, [&]() -> Result<void> {
        if (path == nullptr) {
            return core::fail(ErrorCode::usage, "the path is missing");
        }
        ISOTICK_TRY_ASSIGN(const auto made, playback_options_from_c(options));
        ISOTICK_TRY_ASSIGN(auto opened, replay::Playback::open(path, made));
        *out = new isotick_playback(std::move(opened));
        return {};
    });
}

void isotick_playback_destroy(isotick_playback* playback) {
    delete playback;
}

const isotick_recording_head* isotick_playback_head(const isotick_playback* playback) {
    return &playback->head.get();
}

std::int32_t isotick_playback_next_frame(isotick_playback* playback, std::int64_t* frame_time_ns) {
    return c_api::value_or(0, [&] {
        const auto frame_time = playback->playback.next_frame();
        *frame_time_ns = frame_time.value_or(core::FrameTime{}).nanoseconds;
        return frame_time ? 1 : 0;
    });
}

std::int64_t isotick_playback_clock_ns(const isotick_playback* playback) {
    return playback->playback.clock_ns();
}

const isotick_input* isotick_playback_inputs(isotick_playback* playback, std::uint64_t tick) {
    const isotick_input* const none = nullptr;
    return c_api::value_or(none, [&] {
        const auto inputs = playback->playback.inputs(Tick{tick});
        return inputs ? inputs->data() : none;
    });
}

void isotick_playback_dt(const isotick_playback* playback, std::uint64_t tick, isotick_dt* dt) {
    *dt = c_api::dt_for_c(playback->playback.dt(Tick{tick}));
}

std::int32_t isotick_playback_hash_due(const isotick_playback* playback, std::uint64_t tick) {
    return playback->playback.hash_due(Tick{tick}) ? 1 : 0;
}

std::int32_t isotick_playback_check(isotick_playback* playback, std::uint64_t tick,
                                    const isotick_hashes* hashes) {
    return c_api::value_or(
        0, [&] { return playback->playback.check(Tick{tick}, playback->hashes(hashes)) ? 1 : 0; });
}

std::int32_t isotick_playback_check_initial(isotick_playback* playback,
                                            const isotick_hashes* hashes) {
    return c_api::value_or(
        0, [&] { return playback->playback.check_initial(*playback->hashes(hashes)) ? 1 : 0; });
}

void isotick_playback_run(isotick_playback* playback,
                          void (*frame)(void* context, std::int64_t frame_time_ns), void* context) {
    std::int64_t frame_time_ns = 0;
    while (isotick_playback_next_frame(playback, &frame_time_ns) != 0) {
        frame(context, frame_time_ns);
    }
}

void isotick_playback_finish(isotick_playback* playback, isotick_playback_report* report,
                             isotick_message* text) {
    c_api::guard(text, [&]() -> Result<void> {
        const replay::PlaybackReport found = playback->playback.report();
        if (report != nullptr) {
            c_api::write_struct(report_for_c(found), report);
        }
        core::detail::write_message(text, replay::describe(found).c_str());
        return {};
    });
}
