#include <isotick/core/detail/text/joined.hpp>
#include <isotick/core/detail/text/printable.hpp>
#include <isotick/core/schedule.hpp>
#include <isotick/replay/detail/playback_report.hpp>

namespace isotick::replay {
namespace {

std::string row(const std::string& key, const std::string& value) {
    constexpr std::size_t kColumn = 14;
    return "\n" + key + std::string(kColumn - key.size(), ' ') + core::printable(value);
}

std::string divergence_rows(const PlaybackReport& report) {
    const PlaybackDivergence& divergence = *report.divergence;
    std::string text = row("recorded", to_string(divergence.recorded)) +
                       row("computed", to_string(divergence.computed));
    if (!divergence.parts.empty()) {
        text += row("differs in", core::joined(divergence.parts));
    }
    text += row("agreed to", divergence.last_agreed
                                 ? "tick " + std::to_string(divergence.last_agreed->value)
                                 : "none");
    if (!divergence.tick) {
        return text;
    }
    text += row("in frame", std::to_string(report.frames - 1) + ", which took " +
                                to_string(report.last_frame) + ", as its tick number " +
                                std::to_string(divergence.tick_in_frame + 1));
    if (divergence.idle_frames > 0) {
        text += row("before it", std::to_string(divergence.idle_frames) + " frames without a tick");
    }
    return text;
}

}  // namespace

std::string_view to_string(PlaybackVerdict verdict) {
    switch (verdict) {
        case PlaybackVerdict::identical:
            return "identical";
        case PlaybackVerdict::diverged:
            return "diverged";
        case PlaybackVerdict::off_pace:
            return "off-pace";
        case PlaybackVerdict::out_of_order:
            return "out-of-order";
        case PlaybackVerdict::unreadable:
            return "unreadable";
        case PlaybackVerdict::inconclusive:
            break;
    }
    return "inconclusive";
}

std::string describe(const PlaybackReport& report) {
    std::string text(to_string(report.verdict));
    text += report.reason.empty() ? "" : ": " + core::printable(report.reason);
    if (report.divergence) {
        text += divergence_rows(report);
    }
    text +=
        row("played", std::to_string(report.ticks) + " ticks in " + std::to_string(report.frames) +
                          " frames, " + std::to_string(report.least_ticks_per_frame) + " to " +
                          std::to_string(report.most_ticks_per_frame) + " ticks per frame");
    text += row("compared", std::to_string(report.hashes_compared) + " hashes");
    return text + row("schedule", report.schedule);
}

}  // namespace isotick::replay
