#include "provocation_rows.hpp"

#include "../../explain/causes/odd_frames.hpp"
#include "../rows.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace isotick::harness {
namespace {

// The frame in which the tick fell that came out wrong.
std::string own_frame(const FrameContext& context) {
    const std::string ticks = context.ticks_in_frame == 1
                                  ? std::string("one tick, this one")
                                  : fmt::format("{} ticks, this one as number {}",
                                                context.ticks_in_frame, context.tick_in_frame + 1);
    return fmt::format("frame {}, which took {} and held {}", context.frame,
                       to_string(context.frame_time), ticks);
}

std::string what_it_did(const OddFrames& frames) {
    if (frames.back > 0) {
        return "went back " + counted(frames.back, "tick");
    }
    return frames.ticks == 0   ? "held no tick"
           : frames.ticks == 1 ? "held one tick"
                               : "held " + counted(frames.ticks, "tick");
}

bool holds(const OddFrames& frames, std::uint64_t frame) {
    return frame >= frames.first && frame - frames.first < frames.count;
}

std::string text_of(const OddFrames& frames, const FrameContext& context) {
    if (frames.count == 1) {
        return holds(frames, context.frame)
                   ? own_frame(context)
                   : fmt::format("frame {}, which took {} and {}", frames.first,
                                 to_string(frames.frame_time), what_it_did(frames));
    }
    return fmt::format("frames {} to {}, which took {} each and {} together", frames.first,
                       frames.first + frames.count - 1, to_string(frames.frame_time),
                       what_it_did(frames));
}

std::string odd_rows(const std::vector<OddFrames>& odd, const FrameContext& context,
                     bool plainest) {
    std::string text;
    for (const OddFrames& frames : odd) {
        text += row(text.empty() ? "provoked by"
                    : plainest   ? "and"
                                 : "or",
                    text_of(frames, context));
    }
    const bool shows_later = !holds(odd.back(), context.frame) || odd.back().count > 1;
    return text + (shows_later ? row("shows in", own_frame(context)) : "");
}

std::string frame_rows(const Explanation& explanation, core::TickRate rate, bool plainest) {
    const FrameContext& context = explanation.context;
    if (explanation.provoking && !explanation.provoking->empty()) {
        return odd_rows(*explanation.provoking, context, plainest);
    }
    if (explanation.provoking) {  // not by any frame, but by what the loop makes of them
        return row("provoked by", own_frame(context));
    }
    return is_nominal_time(context.frame_time, rate)
               ? row("provoked by", "an earlier frame") + row("shows in", own_frame(context))
               : row("provoked by", own_frame(context) + "; or an earlier one");
}

std::string what_came_before(const FrameContext& context) {
    if (context.tick_in_frame > 0) {
        return "";
    }
    const std::string idle =
        context.idle_frames == 0 ? "" : counted(context.idle_frames, "frame") + " without a tick; ";
    const double alpha = static_cast<double>(static_cast<int>(context.last_alpha * 1000)) / 1000;
    // Cut, not rounded: alpha is below 1.
    return fmt::format("{}the frame before was rendered at alpha {:.3f}", idle, alpha);
}

// Where nothing but going back can have provoked it, what came in between has left something.
std::string rerun_rows(const Explanation& explanation) {
    if (!explanation.rerun) {
        return "";
    }
    const std::string later = describe_state(explanation.rerun->back_from);
    const std::string here = describe_state(explanation.ticks_done);
    const auto& odd = explanation.provoking;
    const bool only_back =
        odd && std::ranges::all_of(*odd, [](const OddFrames& frames) { return frames.back > 0; });
    return only_back
               ? row("leak", fmt::format("of {}, in {}, whose first run was as recorded: load does "
                                         "not undo everything",
                                         later, here))
               : row("run again",
                     fmt::format(
                         "the first run of {} was as recorded; then the loop went back from {}",
                         here, later));
}

}  // namespace

std::string provocation_rows(const Explanation& explanation, core::TickRate rate, bool plainest) {
    if (explanation.ticks_done == 0) {
        return row("provoked by", "nothing ran yet: the initial state itself differs");
    }
    return frame_rows(explanation, rate, plainest) +
           (explanation.ticks_done > 1 ? row("before it", what_came_before(explanation.context))
                                       : "") +
           rerun_rows(explanation);
}

}  // namespace isotick::harness
