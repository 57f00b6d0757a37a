// Schedules: their frames, where they repeat, and random ones.

#include "item_kind.hpp"
#include "parameters.hpp"

#include <isotick/core/detail/frame_source.hpp>
#include <isotick/core/detail/random_schedule.hpp>
#include <isotick/core/detail/text.hpp>
#include <isotick/core/detail/try.hpp>
#include <isotick/core/random.hpp>
#include <isotick/core/schedule.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <limits>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace isotick::core {

// Groups in a schedule's text: what comes several times in a row is written once.

/// Puts groups such as `300x(9xnominal, -133ms)` in the place of what comes several times in a row,
/// and groups of groups. Groups are of 1 to 32 texts; what is shorter than four is left as it is.
void fold_repeats(std::vector<std::string>& texts);

namespace {

constexpr std::size_t kLongestGroup = 32;  // texts
constexpr std::size_t kLeastCovered = 4;   // texts that a group must stand for
constexpr int kPasses = 4;                 // items, then groups of them, and so on

struct Group {
    std::size_t length = 0;  // in texts
    std::size_t repeats = 0;

    [[nodiscard]] std::size_t covered() const { return length * repeats; }
};

/// How often the `length` texts from `first` on come in a row.
std::size_t repeats_of(const std::vector<std::string>& texts, std::size_t first,
                       std::size_t length) {
    std::size_t alike = 0;
    while (first + length + alike < texts.size() &&
           texts[first + alike] == texts[first + length + alike]) {
        ++alike;
    }
    return 1 + alike / length;
}

/// The group from `first` on that stands for most texts; of several the shortest.
Group find_group(const std::vector<std::string>& texts, std::size_t first) {
    const std::size_t longest = std::min(kLongestGroup, (texts.size() - first) / 2);
    Group most;
    for (std::size_t length = 1; length <= longest; ++length) {
        const Group group{length, repeats_of(texts, first, length)};
        if (group.repeats > 1 && group.covered() >= kLeastCovered &&
            group.covered() > most.covered()) {
            most = group;
        }
    }
    return most;
}

std::string group_text(std::span<const std::string> texts, std::size_t repeats) {
    std::vector<std::string> inner(texts.begin(), texts.end());
    fold_repeats(inner);
    return std::to_string(repeats) + "x(" + joined(inner, ", ") + ")";
}

}  // namespace

void fold_repeats(std::vector<std::string>& texts) {
    for (int pass = 0; pass < kPasses; ++pass) {
        std::vector<std::string> folded;
        for (std::size_t i = 0; i < texts.size();) {
            const Group group = find_group(texts, i);
            if (group.repeats > 1) {
                folded.push_back(
                    group_text(std::span(texts).subspan(i, group.length), group.repeats));
                i += group.covered();
            } else {
                folded.push_back(std::move(texts[i++]));
            }
        }
        texts = std::move(folded);
    }
}

namespace {

Result<void> check_all(const std::vector<ScheduleItem>& items) {
    if (items.empty()) {
        return fail(ErrorCode::usage, "a schedule needs at least one frame");
    }
    for (std::size_t i = 0; i < items.size(); ++i) {
        const auto refuse = [i](const std::string& problem) {
            return fail(ErrorCode::usage,
                        "schedule item " + std::to_string(i + 1) + ": " + problem);
        };
        if (const auto problem = check_item(items[i])) {
            return refuse("expected " + *problem);
        }
        if (items[i].count == kEndless && i + 1 < items.size()) {
            return refuse("never ends, so none may follow it");
        }
    }
    return {};
}

}  // namespace

Schedule::Schedule(std::vector<ScheduleItem> items)
    : items_(std::make_shared<const std::vector<ScheduleItem>>(std::move(items))) {}

Schedule Schedule::nominal() {
    return Schedule({ScheduleItem{.kind = FrameKind::steady, .count = kEndless}});
}

Result<Schedule> Schedule::from_frames(std::span<const FrameTime> frames) {
    std::vector<ScheduleItem> items;
    for (const FrameTime each : frames) {
        append_item(items, {.duration = each});
    }
    return from_items(items);
}

Result<Schedule> Schedule::from_items(const std::vector<ScheduleItem>& items) {
    ISOTICK_TRY(check_all(items));
    std::vector<ScheduleItem> result;
    for (const ScheduleItem& each : items) {
        append_item(result, canonical(each));
    }
    if (result.size() > kMostItems) {
        return fail(ErrorCode::limit, "a schedule has at most 1000000 items");
    }
    return Schedule(std::move(result));
}

std::string Schedule::to_string() const {
    std::vector<std::string> texts;
    for (const ScheduleItem& each : *items_) {
        texts.push_back(core::to_string(each));
    }
    fold_repeats(texts);
    return joined(texts, ", ");
}

FrameSource Schedule::frames(TickRate session_rate) const {
    return {items_, session_rate};
}

bool Schedule::may_end() const {
    return items_->back().count != kEndless;
}

namespace {

constexpr std::size_t kAhead = 32;

}  // namespace

struct FrameSource::State {
    std::shared_ptr<const std::vector<ScheduleItem>> items;
    FramesStart now;
    Frames frames{};                           // of the item
    std::uint64_t left = 0;                    // of them
    std::array<std::int64_t, kAhead> ahead{};  // taken from them already
    std::size_t at = 0;
    std::size_t end = 0;
    std::size_t next_item = 0;
    std::uint64_t repeats = 0;

    void start_item();
    void fill();
};

void FrameSource::State::start_item() {
    if (next_item == items->size()) {
        next_item = 0;
        now.elapsed = 0;
        ++repeats;
    }
    const ScheduleItem& item = (*items)[next_item++];
    left = is_endless(item) ? std::numeric_limits<std::uint64_t>::max() : item.count;
    frames = kind_of(item).frames(item, now);
}

void FrameSource::State::fill() {
    if (left == 0) {
        start_item();
    }
    at = 0;
    end = std::min<std::uint64_t>(left, kAhead);
    left -= end;
    const auto times = std::span(ahead).first(end);
    frames(times);
    now.pass(times);
}

FrameSource::FrameSource(std::shared_ptr<const std::vector<ScheduleItem>> items,
                         TickRate session_rate)
    : state_(std::make_unique<State>(State{.items = std::move(items), .now = {session_rate}})) {}

FrameSource::FrameSource(const FrameSource& other)
    : state_(std::make_unique<State>(*other.state_)) {}

FrameSource& FrameSource::operator=(const FrameSource& other) {
    state_ = std::make_unique<State>(*other.state_);
    return *this;
}

FrameSource::FrameSource(FrameSource&&) noexcept = default;
FrameSource& FrameSource::operator=(FrameSource&&) noexcept = default;
FrameSource::~FrameSource() = default;

FrameTime FrameSource::next() {
    if (state_->at == state_->end) {
        state_->fill();
    }
    return {state_->ahead[state_->at++]};
}

std::uint64_t FrameSource::repeats() const {
    return state_->repeats;
}

namespace {

/// How many ticks to go back: what rollback games do, less, or more.
std::uint32_t draw_depth(Pcg32& random) {
    switch (random.below(4)) {
        case 0:
            return 1 + random.below(7);
        case 1:
            return 16 + random.below(45);
        default:
            return 8 + random.below(8);
    }
}

/// Where a reversible loop cuts frames, unless it is told otherwise.
std::int64_t longest_frame(std::int64_t tick) {
    return std::max<std::int64_t>(tick, 250'000'000);
}

/// How far the frames of an item go on in such a loop.
std::int64_t way_of(const ScheduleItem& item, TickRate session_rate) {
    const std::int64_t longest = longest_frame(tick_length(session_rate));
    FrameSource frames = Schedule::from_items({item})->frames(session_rate);
    std::int64_t way = 0;
    for (std::uint64_t i = 0; i < item.count; ++i) {
        way += std::min(frames.next().nanoseconds, longest);
    }
    return way;
}

/// Frames that go on, then frames that go back `depth` ticks, or as far as leaves a third of the
/// way: for a loop that goes back in time and cuts frames at a quarter of a second.
std::vector<ScheduleItem> draw_rollback(Pcg32& random, std::uint32_t depth, TickRate session_rate) {
    const TickRate session = clamp_generator_rate(session_rate);
    const std::int64_t tick = tick_length(session);
    const std::int64_t ticks = random.between(2 * std::int64_t{depth}, 4 * std::int64_t{depth}) + 8;
    ScheduleItem forward = draw_item(random, draw_kind(random, &Weights::forward), session);
    const std::int64_t frame = std::min(tick_length(*forward.rate), longest_frame(tick));
    forward.count = static_cast<std::uint64_t>(std::max<std::int64_t>(ticks * tick / frame, 1));
    std::int64_t way = way_of(forward, session);
    if (way < ticks * tick / 2) {  // a few short frames of a kind that has long ones too
        forward = {.kind = FrameKind::steady, .count = static_cast<std::uint64_t>(ticks)};
        way = way_of(forward, session);
    }
    const std::int64_t back = std::min(depth * tick + tick / 2, way / 3 * 2);
    const std::int64_t frames = (back - 1) / longest_frame(tick) + 1;
    const FrameTime each = Draw{random, tick}.duration(back / frames, back / frames);
    const ScheduleItem backward{.count = static_cast<std::uint64_t>(frames),
                                .duration = {-each.nanoseconds}};
    return {forward, backward};
}

}  // namespace

Schedule random_schedule(std::uint64_t seed, TickRate session_rate) {
    Pcg32 random(seed);
    const FrameKind kind = draw_kind(random, &Weights::alone);
    return *Schedule::from_items({draw_item(random, kind, session_rate)});
}

Schedule random_reversing_schedule(std::uint64_t seed, TickRate session_rate) {
    Pcg32 random(seed);
    std::vector<ScheduleItem> items;
    const std::uint32_t groups = 1 + random.below(3);
    for (std::uint32_t group = 0; group < groups; ++group) {
        const std::uint32_t depth = group == 0 ? 8 + random.below(8) : draw_depth(random);
        const auto rollback = draw_rollback(random, depth, session_rate);
        for (std::uint32_t left = 2 + random.below(11); left > 0; --left) {
            items.insert(items.end(), rollback.begin(), rollback.end());
        }
    }
    return *Schedule::from_items(items);
}

}  // namespace isotick::core
