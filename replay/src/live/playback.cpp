// Plays a recording to a live game, with a fake clock, and judges it.

#include "../format/bytes.hpp"

#include <isotick/core/detail/frame_source.hpp>
#include <isotick/core/detail/text.hpp>
#include <isotick/core/detail/try.hpp>
#include <isotick/core/hash.hpp>
#include <isotick/core/loops.hpp>
#include <isotick/core/plugin.h>
#include <isotick/core/schedule.hpp>
#include <isotick/core/time.hpp>
#include <isotick/replay/detail/playback_report.hpp>
#include <isotick/replay/detail/recorded_ticks.hpp>
#include <isotick/replay/playback.hpp>
#include <isotick/replay/reader.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

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

// The fake clock of a playback, and the loop that its game's ticks are counted against.

/// Hands out frame times and knows how many ticks they hold.
class PlaybackClock {
  public:
    PlaybackClock(core::FrameSource frames, core::Loop loop)
        : frames_(std::move(frames)), loop_(std::move(loop)) {}

    core::FrameTime next_frame() {
        const core::FrameTime frame_time = frames_.next();
        now_ns_ = saturating_sum(now_ns_, frame_time.nanoseconds);
        ticks_due_ += loop_.advance(frame_time).plan.ticks;
        return frame_time;
    }

    [[nodiscard]] std::int64_t now_ns() const { return now_ns_; }
    [[nodiscard]] std::uint64_t ticks_due() const { return ticks_due_; }
    [[nodiscard]] std::uint64_t schedule_repeats() const { return frames_.repeats(); }

  private:
    static std::int64_t saturating_sum(std::int64_t a, std::int64_t b) {
        using Limits = std::numeric_limits<std::int64_t>;
        std::int64_t sum = 0;
        if (!__builtin_add_overflow(a, b, &sum)) {
            return sum;
        }
        return a < 0 ? Limits::min() : Limits::max();
    }

    core::FrameSource frames_;
    core::Loop loop_;
    std::int64_t now_ns_ = 0;
    std::uint64_t ticks_due_ = 0;
};

// The ticks of a recording that a playback can still be asked about.

/// One tick as it was recorded, copied out of its chunk.
struct PlayedTick {
    core::Tick tick;
    std::vector<isotick_input> inputs;
    std::vector<std::uint8_t> bytes;  // what the inputs point into
    std::optional<core::TickDt> dt;   // its own
    std::optional<core::StateHash> recorded;
    std::vector<core::PartHash> recorded_parts;
    bool is_checked = false;

    void take(const RecordedTicks& source) {
        tick = source.tick();
        const auto given = source.inputs();
        inputs.assign(given.begin(), given.end());
        bytes.clear();
        for (const isotick_input& input : inputs) {
            bytes.insert(bytes.end(), input.data, input.data + input.size);
        }
        std::size_t offset = 0;
        for (isotick_input& input : inputs) {
            input.data = bytes.data() + offset;
            offset += input.size;
        }
        dt = source.dt();
        recorded = source.state_hash();
        const auto parts = source.part_hashes();
        recorded_parts.assign(parts.begin(), parts.end());
        is_checked = false;
    }
};

/// The last ticks that were handed out. Their memory is reused.
class PlaybackHistory {
  public:
    explicit PlaybackHistory(std::size_t most) : ticks_(most) {}

    /// Copies the tick that `source` is at, which follows the one before.
    const PlayedTick& push(const RecordedTicks& source) {
        PlayedTick& slot = slot_of(source.tick());
        slot.take(source);
        end_ = source.tick().value + 1;
        return slot;
    }

    /// None where `tick` was not handed out, or is too long ago.
    [[nodiscard]] PlayedTick* find(core::Tick tick) {
        const bool is_kept = tick.value < end_ && end_ - tick.value <= ticks_.size();
        return is_kept ? &slot_of(tick) : nullptr;
    }

  private:
    [[nodiscard]] PlayedTick& slot_of(core::Tick tick) {
        return ticks_[static_cast<std::size_t>(tick.value % ticks_.size())];
    }

    std::vector<PlayedTick> ticks_;
    std::uint64_t end_ = 0;  // the first tick that was not handed out
};

namespace {

using core::ErrorCode;
using core::Result;
using core::Tick;

constexpr std::uint32_t kMostRollback = 65'536;

std::string tick_text(Tick tick) {
    return "tick " + std::to_string(tick.value);
}

// The loop that a game's ticks are counted against: one whose ticks can be counted.
Result<core::Loop> make_loop(core::TickRate rate, const core::LoopOptions& options) {
    const core::LoopInfo& info = core::info_of(options.kind);
    if (!info.constant_dt || options.kind == core::LoopKind::reversible) {
        return core::fail(ErrorCode::usage, "a playback counts ticks, and the loop " +
                                                std::string(info.name) +
                                                " changes their dt or takes them back");
    }
    return core::Loop::make(rate, options);
}

std::vector<std::string> differing_parts(const RecordingHead& head,
                                         std::span<const core::PartHash> recorded,
                                         std::span<const core::PartHash> computed) {
    std::vector<std::string> names;
    for (std::size_t i = 0; i < std::min(recorded.size(), computed.size()); ++i) {
        if (recorded[i] != computed[i]) {
            names.push_back(head.part_names[i]);
        }
    }
    return names;
}

}  // namespace

struct Playback::Impl {
    Impl(Reader&& opened, const PlaybackOptions& chosen, core::Loop loop)
        : options(chosen),
          reader(std::move(opened)),
          source(reader),
          history(chosen.most_rollback + std::size_t{1}),
          clock(options.schedule.frames(reader.head().session.rate), std::move(loop)) {
        found.schedule = options.schedule.to_string();
        look_ahead();
    }

    // What `call` returns. An exception ends the playback, unless it has ended, and gives `failed`.
    template <class Call>
    [[nodiscard]] auto attempt(const Call& call, decltype(call()) failed) -> decltype(call()) {
        try {
            return call();
        } catch (...) {
            if (!is_over) {
                is_over = true;
                found.verdict = PlaybackVerdict::unreadable;
                found.reason = thrown_error().message;
                found.divergence.reset();
            }
            return failed;
        }
    }

    // Ends the playback, unless it has ended.
    void end(PlaybackVerdict verdict, std::string reason);
    void end_out_of_order(std::string reason) {
        end(PlaybackVerdict::out_of_order, std::move(reason));
    }
    // All ticks were played.
    void end_session();

    void look_ahead();
    // True if PlaybackOptions::until has been played.
    [[nodiscard]] bool is_cut() const {
        return options.until && found.ticks > options.until->value;
    }
    [[nodiscard]] bool is_played_through();
    [[nodiscard]] bool last_is_checked();
    void count_frame();
    void judge_pace();
    [[nodiscard]] bool has_frames_left();
    [[nodiscard]] std::optional<core::FrameTime> next_frame();
    [[nodiscard]] const PlayedTick* played_tick(Tick tick);
    // Hands out the next tick; null where there is none, which ends the playback.
    [[nodiscard]] const PlayedTick* advance();
    [[nodiscard]] bool check(Tick tick, const TickHashes* hashes);
    void compare(std::optional<Tick> tick, core::StateHash recorded,
                 std::span<const core::PartHash> recorded_parts, const TickHashes& hashes);

    PlaybackOptions options;
    Reader reader;
    RecordedTicks source;  // at the tick that comes next, if has_next
    bool has_next = false;
    bool has_own_dts = false;  // of the ticks handed out
    std::optional<core::Error> read_failure;
    PlaybackHistory history;
    PlaybackClock clock;
    PlaybackReport found;
    std::optional<Tick> last_agreed;
    std::uint64_t ticks_in_frame = 0;
    std::uint64_t idle_frames = 0;
    bool in_frame = false;
    bool is_over = false;
};

void Playback::Impl::end(PlaybackVerdict verdict, std::string reason) {
    if (is_over) {
        return;
    }
    count_frame();
    is_over = true;
    found.verdict = verdict;
    found.reason = std::move(reason);
}

void Playback::Impl::end_session() {
    found.damage = reader.damage();
    if (read_failure) {
        end(PlaybackVerdict::unreadable, core::describe(*read_failure));
    } else if (found.damage && !is_cut()) {
        end(PlaybackVerdict::unreadable,
            "the recording is damaged at byte " + std::to_string(found.damage->offset) + ": " +
                found.damage->reason + "; the " + std::to_string(found.ticks) +
                " ticks before it were played");
    } else if (found.hashes_compared == 0) {
        end(PlaybackVerdict::inconclusive, "no tick's hash was compared");
    } else {
        end(PlaybackVerdict::identical, "");
    }
}

void Playback::Impl::look_ahead() {
    if (is_cut()) {
        has_next = false;
        return;
    }
    const auto advanced = source.advance();
    has_next = advanced && *advanced;
    if (!advanced) {
        read_failure = advanced.error();
    }
}

void Playback::Impl::count_frame() {
    if (!in_frame) {
        return;
    }
    in_frame = false;
    const bool first = found.frames == 1;
    found.least_ticks_per_frame =
        first ? ticks_in_frame : std::min(found.least_ticks_per_frame, ticks_in_frame);
    found.most_ticks_per_frame = std::max(found.most_ticks_per_frame, ticks_in_frame);
    idle_frames = ticks_in_frame == 0 ? idle_frames + 1 : 0;
    ticks_in_frame = 0;
}

void Playback::Impl::judge_pace() {
    const PaceError pace{found.ticks, clock.ticks_due()};
    const bool behind = pace.ticks_done < pace.ticks_due;
    const std::uint64_t distance =
        behind ? pace.ticks_due - pace.ticks_done : pace.ticks_done - pace.ticks_due;
    // Where the recording has no more ticks, the game could not make those that are due.
    if (!options.pace_slack || has_own_dts || distance <= *options.pace_slack ||
        (behind && !has_next)) {
        return;
    }
    found.pace = pace;
    end(PlaybackVerdict::off_pace,
        "after frame " + std::to_string(found.frames - 1) + " the game has made " +
            std::to_string(pace.ticks_done) + " ticks where " + std::to_string(pace.ticks_due) +
            " were due: its loop " + (behind ? "loses time" : "runs ahead of time") +
            ", or it cuts frames otherwise than the loop options say");
}

bool Playback::Impl::has_frames_left() {
    const std::uint64_t most =
        options.most_frames != 0 ? options.most_frames : 1'000'000 + 1000 * (found.ticks + 1);
    if (found.frames < most) {
        return true;
    }
    end(PlaybackVerdict::inconclusive, "the schedule used up " + std::to_string(most) +
                                           " frames after " + std::to_string(found.ticks) +
                                           " ticks: too little time passes in it");
    return false;
}

bool Playback::Impl::is_played_through() {
    if (has_next || !last_is_checked()) {
        return is_over;
    }
    end_session();
    return true;
}

std::optional<core::FrameTime> Playback::Impl::next_frame() {
    if (is_over) {
        return std::nullopt;
    }
    if (found.frames > 0) {
        count_frame();
        judge_pace();
    }
    if (is_over || is_played_through() || !has_frames_left()) {
        return std::nullopt;
    }
    in_frame = true;
    ++found.frames;
    found.last_frame = clock.next_frame();
    found.schedule_repeats = clock.schedule_repeats();
    return found.last_frame;
}

bool Playback::Impl::last_is_checked() {
    if (found.ticks == 0) {
        return true;
    }
    const Tick last{found.ticks - 1};
    const PlayedTick* const played = history.find(last);
    if (!played->recorded || played->is_checked) {
        return true;
    }
    end_out_of_order("the hash after " + tick_text(last) + " is recorded but was not handed in");
    return false;
}

const PlayedTick* Playback::Impl::advance() {
    if (!last_is_checked() || is_played_through()) {
        return nullptr;
    }
    const PlayedTick& played = history.push(source);
    has_own_dts = has_own_dts || played.dt;
    ++found.ticks;
    ++ticks_in_frame;
    look_ahead();
    return &played;
}

const PlayedTick* Playback::Impl::played_tick(Tick tick) {
    if (is_over) {
        return nullptr;
    }
    if (!in_frame) {
        end_out_of_order(tick_text(tick) + " was asked for before the first frame began");
        return nullptr;
    }
    const Tick next{found.ticks};
    if (tick == next) {
        return advance();
    }
    const PlayedTick* const played = history.find(tick);
    if (played == nullptr) {
        end_out_of_order(tick_text(tick) + " was asked for, but " +
                         (tick > next ? "the next is " + tick_text(next)
                                      : "it is longer ago than most_rollback allows"));
    }
    return played;
}

void Playback::Impl::compare(std::optional<Tick> tick, core::StateHash recorded,
                             std::span<const core::PartHash> recorded_parts,
                             const TickHashes& hashes) {
    if (hashes.state == recorded) {
        last_agreed = tick ? std::max(last_agreed.value_or(*tick), *tick) : last_agreed;
        return;
    }
    found.divergence = PlaybackDivergence{
        tick,         recorded,
        hashes.state, differing_parts(reader.head(), recorded_parts, hashes.parts),
        last_agreed,  ticks_in_frame - std::min<std::uint64_t>(ticks_in_frame, 1),
        idle_frames};
    end(PlaybackVerdict::diverged, tick ? "the hash after " + tick_text(*tick) + " differs"
                                        : "the hash of the state before tick 0 differs");
}

bool Playback::Impl::check(Tick tick, const TickHashes* hashes) {
    if (is_over) {
        return false;
    }
    PlayedTick* const played = history.find(tick);
    if (played == nullptr) {
        end_out_of_order("the hash after " + tick_text(tick) +
                         " was handed in, but its inputs were not asked for");
        return false;
    }
    if (!played->recorded) {
        return true;
    }
    if (hashes == nullptr) {
        end_out_of_order("the hash after " + tick_text(tick) + " is due but missing");
        return false;
    }
    played->is_checked = true;
    ++found.hashes_compared;
    compare(tick, *played->recorded, played->recorded_parts, *hashes);
    return !is_over;
}

Result<Playback> Playback::open(const std::string& path, const PlaybackOptions& options) {
    if (options.most_rollback > kMostRollback) {
        return core::fail(ErrorCode::usage,
                          "most_rollback must be at most " + std::to_string(kMostRollback));
    }
    return guarded([&]() -> Result<Playback> {
        ISOTICK_TRY_ASSIGN(auto reader, Reader::open(path));
        ISOTICK_TRY_ASSIGN(auto loop, make_loop(reader.head().session.rate, options.loop));
        return Playback(std::make_unique<Impl>(std::move(reader), options, std::move(loop)));
    });
}

Playback::Playback(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Playback::~Playback() = default;
Playback::Playback(Playback&&) noexcept = default;
Playback& Playback::operator=(Playback&&) noexcept = default;

const RecordingHead& Playback::head() const {
    return impl_->reader.head();
}
std::optional<core::FrameTime> Playback::next_frame() {
    return impl_->attempt([this] { return impl_->next_frame(); }, {});
}
std::int64_t Playback::clock_ns() const {
    return impl_->clock.now_ns();
}
std::optional<std::span<const isotick_input>> Playback::inputs(core::Tick tick) {
    const PlayedTick* const played =
        impl_->attempt([&] { return impl_->played_tick(tick); }, nullptr);
    return played == nullptr ? std::nullopt : std::optional(std::span(played->inputs));
}
core::TickDt Playback::dt(core::Tick tick) const {
    const PlayedTick* const played = impl_->history.find(tick);
    const core::TickDt constant(head().session.rate);
    return played == nullptr ? constant : played->dt.value_or(constant);
}
bool Playback::hash_due(core::Tick tick) const {
    const PlayedTick* const played = impl_->history.find(tick);
    return played != nullptr && played->recorded.has_value();
}
bool Playback::check(core::Tick tick, const TickHashes* hashes) {
    return impl_->attempt([&] { return impl_->check(tick, hashes); }, false);
}

bool Playback::check_initial(const TickHashes& hashes) {
    Impl& impl = *impl_;
    return impl.attempt(
        [&] {
            if (impl.found.frames > 0) {
                impl.end_out_of_order(
                    "the initial state's hash was handed in after the first frame began");
            }
            if (!impl.is_over) {
                const TickHashes recorded = impl.reader.initial();
                impl.compare(std::nullopt, recorded.state, recorded.parts, hashes);
            }
            return !impl.is_over;
        },
        false);
}

PlaybackReport Playback::report() {
    Impl& impl = *impl_;
    const auto report = [&] {
        if (!impl.is_over && !impl.is_played_through()) {
            impl.count_frame();
            impl.judge_pace();
        }
        impl.end(PlaybackVerdict::inconclusive, "the playback was ended after " +
                                                    std::to_string(impl.found.ticks) +
                                                    " ticks, before the recording's end");
        return impl.found;
    };
    PlaybackReport nothing;
    nothing.verdict = PlaybackVerdict::unreadable;
    nothing.reason = "out of memory";  // short enough to need no memory
    return impl.attempt(report, std::move(nothing));
}

}  // namespace isotick::replay
