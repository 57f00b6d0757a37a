#include "../system/rows.hpp"
#include "time_line_lane.hpp"

#include <isotick/harness/lockstep.hpp>

#include <algorithm>
#include <array>
#include <string_view>

#include <fmt/format.h>

namespace isotick::harness {
namespace {

constexpr std::int64_t kWidth = 12'000;
constexpr std::int64_t kLeft = 1650;
constexpr std::int64_t kMargin = 240;
constexpr std::int64_t kFirstLane = 1180;
constexpr std::int64_t kLegend = 900;

// Colors that people who tell few apart tell apart too, after Okabe and Ito.
constexpr std::string_view kStyle = R"svg(<style>
svg{--ground:#fff;--lane:#f4f5f7;--ink:#1d2430;--dim:#68717f;--line:#d9dde3;--hatch:#c3c9d2;
--ahead:#3b82c4;--hand:#cfe3d6;--back:#d9800f;--stall:#c0392b;--wait:#9b87c9;--lost:#a3387f;
--late:#a7a05a;--twice:#00806a;--good:#1a7f4b;--bad:#c0392b}
@media(prefers-color-scheme:dark){svg{--ground:#14181f;--lane:#1d232d;--ink:#e6e9ee;
--dim:#97a1b0;
--line:#333c49;--hatch:#3d4755;--ahead:#5aa7ec;--hand:#26443a;--back:#f0a33a;--stall:#ef6a5b;
--wait:#a996dd;--lost:#e184c4;--late:#b8b06a;--twice:#35c2a6;--good:#4cc38a;--bad:#ef6a5b}}
text{font-family:system-ui,"Segoe UI",Roboto,"DejaVu Sans",sans-serif;fill:var(--ink)}
.ground{fill:var(--ground)}.lane{fill:var(--lane)}.title{font-size:20px;font-weight:600}
.good,.bad{font-size:15px;font-weight:600}.good{fill:var(--good)}.bad{fill:var(--bad)}
.plain{font-size:13px;fill:var(--dim)}.peer{font-size:15px;font-weight:600}
.small{font-size:12px;fill:var(--dim)}.scale{font-size:10px;fill:var(--dim);text-anchor:end}
.time{font-size:12px;fill:var(--dim);text-anchor:middle}.key{font-size:12px}
.event{font-size:12px;font-weight:600}.end{text-anchor:end}
.behind{fill:var(--ground);opacity:.9}.failed{font-size:13px;font-weight:600;fill:var(--bad)}
path{fill:none}.grid{stroke:var(--line)}.base{stroke:var(--dim);stroke-width:.7}
.ahead{fill:var(--ahead);opacity:.75}.hand{fill:var(--hand)}
.back{stroke:var(--back);stroke-width:1.6}
.stall{fill:var(--stall)}.wait{fill:var(--wait)}.gone{fill:url(#gone)}
.lost{stroke:var(--lost);stroke-width:1.2}.late{stroke:var(--late)}
.twice{stroke:var(--twice);stroke-width:2}.came{stroke:var(--good);stroke-width:2}
.went{stroke:var(--ink);stroke-width:2}.parted{stroke:var(--bad);stroke-width:2}
.parted.others{stroke-width:1;stroke-dasharray:4 4}.hatch{stroke:var(--hatch);stroke-width:2}
</style>
<defs><pattern id="gone" width="8" height="8" patternUnits="userSpaceOnUse"
 patternTransform="rotate(45)"><rect class="lane" width="8" height="8"/><path class="hatch"
 d="M0 0V8"/></pattern></defs>
)svg";

std::string seconds(std::int64_t ns) {
    const std::int64_t tenths = (ns + 50'000'000) / 100'000'000;
    return fmt::format("{}.{} s", grouped(static_cast<std::uint64_t>(tenths / 10)), tenths % 10);
}

/// Draws the trial that a report shows.
class TimeLine {
  public:
    explicit TimeLine(const LockstepReport& report)
        : report_(report),
          trial_(report.shown),
          failure_(failure_of(trial_)),
          time_{window_of(length(), failure_ ? std::optional(failure_->at_ns) : std::nullopt),
                kLeft, kWidth - kLeft - kMargin},
          bottom_(kFirstLane + trial_.plan.peers * kLaneDistance) {}

    std::string draw() const {
        const std::int64_t height = bottom_ + kLegend;
        std::string drawn = fmt::format(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {} {}\" width=\"{}\" "
            "height=\"{}\">\n",
            svg_number(kWidth), svg_number(height), svg_number(kWidth), svg_number(height));
        drawn += fmt::format("<title>{}</title>\n", xml_escaped(title()));
        drawn += kStyle;
        drawn += svg_box({0, 0, kWidth, height}, "ground");
        drawn += head() + grounds() + axis() + lanes() + failure() + legend();
        return drawn + "</svg>\n";
    }

  private:
    [[nodiscard]] std::int64_t length() const {
        std::int64_t end = trial_.ended_ns;
        for (const PeerOutcome& outcome : trial_.outcomes) {
            end = std::max(end, outcome.run.ended_ns);
        }
        return end;
    }

    [[nodiscard]] std::string title() const {
        return fmt::format("{}: {} in {} over {}", report_.head.session.simulation,
                           counted(trial_.plan.peers, "peer"), to_string(trial_.plan.mode),
                           shortened(trial_.plan.network.to_string(), 70));
    }

    // Long networks are cut between their words.
    static std::string shortened(const std::string& text, std::size_t most) {
        return text.size() <= most ? text : text.substr(0, text.rfind(' ', most)) + " …";
    }

    [[nodiscard]] std::string verdict() const {
        if (trial_.verdict == Verdict::identical) {
            return "agreed: all peers and the offline replay";
        }
        std::string text = in_words(trial_.verdict);
        if (trial_.divergence) {
            text += fmt::format(" at {}: peer {}", describe_state(trial_.divergence->ticks_done),
                                trial_.outcomes[trial_.divergence->outcome].run.peer);
        }
        return trial_.reason.empty() ? text : text + ": " + shortened(trial_.reason, 110);
    }

    [[nodiscard]] std::string facts() const {
        std::string text =
            fmt::format("{} of {}, trial {}, seed {}, {}", counted(trial_.ticks, "tick"),
                        to_string(report_.head.session.rate), trial_.number, trial_.plan.seed,
                        seconds(length()));
        if (time_.window != Window{0, std::max<std::int64_t>(length(), 1'000'000)}) {
            text += fmt::format("; shown: {} to {}, {}", seconds(time_.window.from_ns),
                                seconds(time_.window.to_ns),
                                failure_ ? "around what went wrong" : "the beginning");
        }
        return text;
    }

    [[nodiscard]] std::string head() const {
        const bool agreed = trial_.verdict == Verdict::identical;
        return svg_text(kMargin, 380, "title", title()) +
               svg_text(kMargin, 620, agreed ? "good" : "bad", verdict()) +
               svg_text(kMargin, 830, "plain", facts());
    }

    [[nodiscard]] std::string grounds() const {
        std::string drawn;
        for (std::uint32_t peer = 0; peer < trial_.plan.peers; ++peer) {
            drawn += svg_box(
                {time_.left, kFirstLane + peer * kLaneDistance, time_.width, kLaneHeight}, "lane");
        }
        return drawn;
    }

    [[nodiscard]] std::string lanes() const {
        const LaneScale scale = lane_scale(trial_, time_);
        std::string drawn;
        for (std::uint32_t peer = 0; peer < trial_.plan.peers; ++peer) {
            drawn += draw_lane(trial_, peer, scale, kFirstLane + peer * kLaneDistance);
        }
        return drawn;
    }

    // Between two lines of the grid: as short as leaves room for their labels.
    [[nodiscard]] std::int64_t spacing() const {
        std::int64_t unit = 100'000'000;
        while (true) {
            for (const std::int64_t times : {1, 2, 5}) {
                if (unit * times * time_.width / time_.window.length() >= 600) {
                    return unit * times;
                }
            }
            unit *= 10;
        }
    }

    [[nodiscard]] std::string axis() const {
        const std::int64_t step = spacing();
        SvgPath grid;
        std::string labels;
        for (std::int64_t at = (time_.window.from_ns + step - 1) / step * step;
             at <= time_.window.to_ns; at += step) {
            grid.upright(time_.x(at), kFirstLane - 60, bottom_ - kFirstLane + 20);
            const std::string text =
                step % 1'000'000'000 == 0 ? fmt::format("{} s", at / 1'000'000'000) : seconds(at);
            labels += svg_text(time_.x(at), kFirstLane - 100, "time", text);
        }
        return grid.element("grid") + labels;
    }

    [[nodiscard]] std::string failure() const {
        if (!failure_ || !time_.window.has(failure_->at_ns)) {
            return "";
        }
        const std::int64_t x = time_.x(failure_->at_ns);
        const std::int64_t top = kFirstLane + failure_->peer * kLaneDistance;
        SvgPath all;
        all.upright(x, kFirstLane - 60, bottom_ - kFirstLane);
        SvgPath own;
        own.upright(x, top, kLaneHeight);
        const auto width = static_cast<std::int64_t>(failure_->text.size()) * 78 + 120;
        const bool fits = x + width < time_.right();
        return all.element("parted others") + own.element("parted") +
               svg_box({fits ? x : x - width, top, width, 190}, "behind") +
               svg_text(x + (fits ? 60 : -60), top + 140, fits ? "failed" : "failed end",
                        failure_->text);
    }

    [[nodiscard]] std::string legend() const {
        struct Key {
            std::string_view style;
            std::string_view text;
        };
        constexpr std::array kKeys{Key{"ahead", "run ahead of confirmed inputs, ticks"},
                                   Key{"back", "rolled back, ticks"},
                                   Key{"hand", "inputs in hand, ticks"},
                                   Key{"stall", "stalled for inputs"},
                                   Key{"wait", "held back to let others catch up"},
                                   Key{"lost", "packet to it lost"},
                                   Key{"late", "packet to it late, up to 200 ms"},
                                   Key{"twice", "packet to it twice"},
                                   Key{"gone", "not there"}};
        std::string drawn;
        for (std::size_t i = 0; i < kKeys.size(); ++i) {
            const std::int64_t x = kLeft + static_cast<std::int64_t>(i / 3) * 3400;
            const std::int64_t y = bottom_ + 160 + static_cast<std::int64_t>(i % 3) * 220;
            const bool is_line = i == 1 || kKeys.at(i).style == "lost" ||
                                 kKeys.at(i).style == "late" || kKeys.at(i).style == "twice";
            if (is_line) {
                SvgPath lines;
                for (std::int64_t line = 20; line < 140; line += 40) {
                    lines.upright(x + line, y - 100, 110);
                }
                drawn += lines.element(kKeys.at(i).style);
            } else {
                drawn += svg_box({x, y - 100, 140, 110}, kKeys.at(i).style);
            }
            drawn += svg_text(x + 200, y, "key", kKeys.at(i).text);
        }
        return drawn;
    }

    const LockstepReport& report_;
    const LockstepTrial& trial_;
    std::optional<Failure> failure_;
    TimeScale time_;
    std::int64_t bottom_;
};

}  // namespace

std::string time_line_svg(const LockstepReport& report) {
    return TimeLine(report).draw();
}

}  // namespace isotick::harness
