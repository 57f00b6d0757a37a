#include "time_line_lane.hpp"

#include "../system/rows.hpp"

#include <isotick/core/detail/text.hpp>

#include <algorithm>
#include <map>
#include <span>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace isotick::harness {

std::string svg_number(std::int64_t tenths) {
    const std::int64_t size = tenths < 0 ? -tenths : tenths;
    std::string text = fmt::format("{}{}", tenths < 0 ? "-" : "", size / 10);
    return size % 10 == 0 ? text : text + fmt::format(".{}", size % 10);
}

std::string svg_box(const SvgBox& box, std::string_view style) {
    return fmt::format("<rect class=\"{}\" x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\"/>\n", style,
                       svg_number(box.x), svg_number(box.y), svg_number(box.width),
                       svg_number(box.height));
}

std::string svg_text(std::int64_t x, std::int64_t y, std::string_view style,
                     std::string_view text) {
    return fmt::format("<text class=\"{}\" x=\"{}\" y=\"{}\">{}</text>\n", style, svg_number(x),
                       svg_number(y), xml_escaped(text));
}

void SvgPath::move(std::int64_t x, std::int64_t y) {
    data_ += fmt::format("M{} {}", svg_number(x), svg_number(y));
}

void SvgPath::to_x(std::int64_t x) {
    data_ += "H" + svg_number(x);
}

void SvgPath::to_y(std::int64_t y) {
    data_ += "V" + svg_number(y);
}

std::string SvgPath::element(std::string_view style) const {
    return data_.empty() ? "" : fmt::format("<path class=\"{}\" d=\"{}\"/>\n", style, data_);
}

std::optional<Failure> failure_of(const LockstepTrial& trial) {
    if (!trial.divergence) {
        return std::nullopt;
    }
    const LockstepDivergence& found = *trial.divergence;
    const PeerRun& run = trial.outcomes[found.outcome].run;
    if (run.moments.empty()) {
        return std::nullopt;
    }
    // A state that it joined with comes before its first frame.
    const auto frame =
        std::min<std::uint64_t>(found.context.frame, std::uint64_t{run.moments.size()} - 1);
    return Failure{run.peer, run.moments[frame].at_ns,
                   "diverged at " + describe_state(found.ticks_done)};
}

Window window_of(std::int64_t length_ns, std::optional<std::int64_t> around_ns) {
    const std::int64_t length = std::max<std::int64_t>(length_ns, 1'000'000);
    if (length <= kLongestWindow) {
        return {0, length};
    }
    const std::int64_t wanted = around_ns ? *around_ns - kLongestWindow / 3 * 2 : 0;
    const std::int64_t from = std::clamp<std::int64_t>(wanted, 0, length - kLongestWindow);
    return {from, from + kLongestWindow};
}

namespace {

constexpr std::int64_t kHeight = 140;  // of the strip, in tenths

}  // namespace

std::string draw_packets(std::span<const LoggedPacket> packets, std::uint32_t to,
                         const TimeScale& time, std::int64_t bottom) {
    std::map<std::int64_t, std::int64_t> late;  // by place: the latest there
    SvgPath lost;
    SvgPath twice;
    for (const LoggedPacket& packet : packets) {
        if (packet.to != to || !time.window.has(packet.sent_ns)) {
            continue;
        }
        const std::int64_t x = time.x(packet.sent_ns);
        if (packet.fate == PacketFate::late) {
            std::int64_t& latest = late[x / 10 * 10];
            latest = std::max(latest, packet.by_ns);
        } else if (packet.fate == PacketFate::twice) {
            twice.upright(x, bottom, -40);
        } else {
            lost.upright(x, bottom, -kHeight / 5 * 4);
        }
    }
    SvgPath bars;
    for (const auto& [x, by_ns] : late) {
        const std::int64_t height = std::min(by_ns, kLatestShown) * kHeight / kLatestShown;
        if (height > 10) {
            bars.upright(x, bottom, -height);
        }
    }
    return bars.element("late") + lost.element("lost") + twice.element("twice");
}

namespace {

// From the top of a lane, in tenths.
constexpr std::int64_t kHighest = 100;  // the most ticks ahead
constexpr std::int64_t kLowest = 930;   // the most ticks back
constexpr std::int64_t kStates = 980;   // frames that stalled or were held back
constexpr std::int64_t kStateHeight = 70;
constexpr std::int64_t kPackets = 1220;       // lower edge of what became of packets
constexpr std::int64_t kPause = 250'000'000;  // without a frame, nanoseconds

/// Where ticks are in a lane.
struct TickScale {
    explicit TickScale(const LaneScale& scale, std::int64_t top)
        : most_ahead(std::max<std::uint64_t>(scale.most_ahead, 1)),
          most_below(scale.most_below),
          highest(top + kHighest),
          base(top + (scale.most_ahead == 0 ? kHighest + 50 : 620)),
          lowest(top + kLowest) {}

    [[nodiscard]] std::int64_t above(std::uint64_t ticks) const {
        return base - height(ticks, most_ahead, base - highest);
    }
    [[nodiscard]] std::int64_t below(std::uint64_t ticks) const {
        return base + height(ticks, most_below, lowest - base);
    }

    static std::int64_t height(std::uint64_t ticks, std::uint64_t most, std::int64_t room) {
        return static_cast<std::int64_t>(std::min(ticks, most)) * room /
               static_cast<std::int64_t>(most);
    }

    std::uint64_t most_ahead;
    std::uint64_t most_below;
    std::int64_t highest;
    std::int64_t base;  // ticks ahead are above it, ticks back below
    std::int64_t lowest;
};

std::uint64_t ahead_of(const PeerMoment& moment) {
    return moment.tick > moment.confirmed ? moment.tick - moment.confirmed : 0;
}

std::uint64_t in_hand_of(const PeerMoment& moment) {
    return moment.confirmed > moment.tick ? moment.confirmed - moment.tick : 0;
}

/// Draws one run of a peer.
class RunDrawing {
  public:
    RunDrawing(const PeerRun& run, const LaneScale& scale, std::int64_t top)
        : run_(run), scale_(scale), ticks_(scale, top), top_(top) {}

    std::string draw() {
        const std::span<const PeerMoment> moments = run_.moments;
        for (std::size_t i = 0; i < moments.size(); ++i) {
            const std::int64_t begin = moments[i].at_ns;
            const std::int64_t end = i + 1 < moments.size() ? moments[i + 1].at_ns : run_.ended_ns;
            if (end >= scale_.time.window.from_ns && begin <= scale_.time.window.to_ns) {
                add(moments[i], begin, end);
            }
        }
        ahead_.finish(ticks_.base);
        in_hand_.finish(ticks_.base);
        return in_hand_.path.element("hand") + ahead_.path.element("ahead") +
               back_.element("back") + stalls_ + pauses_;
    }

  private:
    // An area between the base and a height that changes in steps.
    struct Area {
        void step(std::int64_t x, std::int64_t end, std::int64_t base, std::int64_t y) {
            if (is_open && last_y == y) {
                end_x = end;
                return;
            }
            if (!is_open) {
                path.move(x, base);
                is_open = true;
            } else {
                path.to_x(x);
            }
            path.to_y(y);
            last_y = y;
            end_x = end;
        }
        void finish(std::int64_t base) {
            if (is_open) {
                path.to_x(end_x);
                path.to_y(base);
                path.close();
            }
            is_open = false;
        }
        SvgPath path;
        bool is_open = false;
        std::int64_t last_y = 0;
        std::int64_t end_x = 0;
    };

    void add(const PeerMoment& moment, std::int64_t begin_ns, std::int64_t end_ns) {
        const std::int64_t x = scale_.time.x(begin_ns);
        const std::int64_t end = scale_.time.x(end_ns);
        ahead_.step(x, end, ticks_.base, ticks_.above(ahead_of(moment)));
        in_hand_.step(x, end, ticks_.base, ticks_.below(in_hand_of(moment)));
        if (moment.back > 0) {
            back_.upright(x, ticks_.base, ticks_.below(moment.back) - ticks_.base);
        }
        if (moment.stalled || moment.waits) {
            stalls_ +=
                svg_box({x, top_ + kStates, std::max<std::int64_t>(end - x, 10), kStateHeight},
                        moment.stalled ? "stall" : "wait");
        }
        if (end_ns - begin_ns > kPause) {
            pauses_ += svg_box({x, top_, end - x, kLaneHeight}, "gone");
        }
    }

    const PeerRun& run_;
    const LaneScale& scale_;
    TickScale ticks_;
    std::int64_t top_;
    Area ahead_;
    Area in_hand_;
    SvgPath back_;
    std::string stalls_;
    std::string pauses_;
};

std::string end_of(const PeerRun& run) {
    if (run.killed) {
        return "killed";
    }
    return run.state == PeerState::left || run.state == PeerState::dropped ||
                   run.state == PeerState::alone
               ? std::string(to_string(run.state))
               : "";
}

std::vector<const PeerOutcome*> runs_of(const LockstepTrial& trial, std::uint32_t peer) {
    std::vector<const PeerOutcome*> runs;
    for (const PeerOutcome& outcome : trial.outcomes) {
        if (outcome.run.peer == peer) {
            runs.push_back(&outcome);
        }
    }
    return runs;
}

// Peers come and go: the time between is hatched, and the edges are named.
std::string comings(std::span<const PeerOutcome* const> runs, const LaneScale& scale,
                    std::int64_t top) {
    std::string gone;
    std::string drawn;
    std::int64_t gone_from = scale.time.window.from_ns;
    const auto gone_until = [&](std::int64_t until) {
        const std::int64_t x = scale.time.x(gone_from);
        const std::int64_t width = scale.time.x(until) - x;
        gone += width > 40 ? svg_box({x, top, width, kLaneHeight}, "gone") : "";
    };
    const auto mark = [&](std::int64_t at_ns, const std::string& text, const char* style) {
        if (scale.time.window.has(at_ns) && !text.empty()) {
            SvgPath line;
            line.upright(scale.time.x(at_ns), top, kLaneHeight);
            drawn += line.element(style);
            const bool fits = scale.time.x(at_ns) + 900 < scale.time.right();
            drawn += svg_text(scale.time.x(at_ns) + (fits ? 50 : -50), top + 120,
                              fits ? "event" : "event end", text);
        }
    };
    for (const PeerOutcome* outcome : runs) {
        const PeerRun& run = outcome->run;
        gone_until(run.began_ns);
        const bool joined = run.incarnation > 0 || run.course.first_tick > 0;
        mark(run.began_ns, joined ? "joined" : "", "came");
        mark(run.ended_ns, end_of(run), "went");
        gone_from = run.ended_ns;
    }
    gone_until(scale.time.window.to_ns);
    return gone + drawn;
}

// What the peer did in all of the session, in short.
std::string label(std::span<const PeerOutcome* const> runs, std::uint32_t peer, std::int64_t top) {
    PeerStatistics all;
    std::uint64_t verified = 0;
    for (const PeerOutcome* outcome : runs) {
        all.rollbacks += outcome->run.statistics.rollbacks;
        all.stalls += outcome->run.statistics.stalls;
        all.waits += outcome->run.statistics.waits;
        verified = std::max(verified, outcome->run.verified);
    }
    std::vector<std::string> lines{counted(verified, "tick")};
    if (all.rollbacks > 0) {
        lines.push_back(counted(all.rollbacks, "rollback"));
    }
    lines.push_back(grouped(all.stalls) + " stalled");
    if (all.waits > 0) {
        lines.push_back(grouped(all.waits) + " held back");
    }
    std::string drawn = svg_text(240, top + 200, "peer", fmt::format("peer {}", peer));
    for (std::size_t i = 0; i < lines.size(); ++i) {
        drawn += svg_text(240, top + 400 + static_cast<std::int64_t>(i) * 170, "small", lines[i]);
    }
    return drawn;
}

std::string tick_scale(const LaneScale& scale, std::int64_t top) {
    const std::int64_t x = scale.time.left - 60;
    const TickScale ticks(scale, top);
    const std::string ahead =
        scale.most_ahead == 0
            ? ""
            : svg_text(x, ticks.highest + 70, "scale", fmt::format("+{}", scale.most_ahead));
    SvgPath base;
    base.move(scale.time.left, ticks.base);
    base.to_x(scale.time.right());
    return ahead + svg_text(x, ticks.base + 35, "scale", "0") +
           svg_text(x, ticks.lowest + 10, "scale", fmt::format("−{}", scale.most_below)) +
           svg_text(x, top + kStates + 70, "scale", "stalls") +
           svg_text(x, top + kPackets, "scale", "packets") + base.element("base");
}

}  // namespace

std::int64_t TimeScale::x(std::int64_t at_ns) const {
    const std::int64_t since = std::clamp(at_ns, window.from_ns, window.to_ns) - window.from_ns;
    // In microseconds, so that the product does not overflow.
    return left + since / 1000 * width / (window.length() / 1000);
}

LaneScale lane_scale(const LockstepTrial& trial, const TimeScale& time) {
    LaneScale scale{time};
    for (const PeerOutcome& outcome : trial.outcomes) {
        for (const PeerMoment& moment : outcome.run.moments) {
            if (!time.window.has(moment.at_ns)) {
                continue;
            }
            const std::uint64_t back = moment.back;
            scale.most_ahead = std::max(scale.most_ahead, ahead_of(moment));
            scale.most_below = std::max({scale.most_below, back, in_hand_of(moment)});
        }
    }
    return scale;
}

std::string draw_lane(const LockstepTrial& trial, std::uint32_t peer, const LaneScale& scale,
                      std::int64_t top) {
    const auto runs = runs_of(trial, peer);
    std::string drawn = label(runs, peer, top);
    for (const PeerOutcome* outcome : runs) {
        drawn += RunDrawing(outcome->run, scale, top).draw();
    }
    drawn += tick_scale(scale, top);
    drawn += draw_packets(trial.logged, peer, scale.time, top + kPackets);
    return drawn + comings(runs, scale, top);
}

}  // namespace isotick::harness
