#pragma once
// One item of a schedule: so many frames of one kind. SCHEDULES.md says what each kind means and
// how it is written.

#include <isotick/core/detail/captured_frames.hpp>
#include <isotick/core/time.hpp>

#include <cstdint>
#include <optional>

namespace isotick::core {

/// The table of kinds, in the order in which seeds choose them, so new ones come last. A kind is a
/// line here and a section of core/src/schedule/items.cpp, which defines its ItemKind.
#define ISOTICK_FRAME_KINDS(kind)                                                                  \
    kind(frame, Frame)             /* one frame time, `count` times */                             \
        kind(steady, Steady)       /* nominal of `rate`: frame k ends at floored tick k + 1 */     \
        kind(jitter, Jitter)       /* steady frames, each up to `duration` shorter or longer */    \
        kind(vsync, Vsync)         /* one refresh of `rate` a frame, sometimes two to four */      \
        kind(bimodal, Bimodal)     /* frames of `duration`, sometimes of `other_duration` */       \
        kind(hitches, Hitches)     /* steady frames, one in `every` up to `duration` longer */     \
        kind(quantised, Quantised) /* steady frames by a clock that counts whole `duration`s */    \
        kind(stuck, Stuck)         /* steady frames by a clock that sometimes stands still */      \
        kind(backwards, Backwards) /* steady frames, sometimes one of up to -`duration` instead */ \
        kind(burst, Burst)         /* one in `every` follows `burst_frames` of `duration` */       \
        kind(edges, Edges)         /* frames that end within 1 ns of multiples of `rate`'s tick */ \
        kind(mix, Mix)             /* short blocks of all kinds above */                           \
        kind(capture, Capture) /* frames of `capture` from `duration` on, for `other_duration` */

/// What the frames of an item are made by.
enum class FrameKind : std::uint8_t {
#define ISOTICK_FRAME_KIND(name, Name) name,
    ISOTICK_FRAME_KINDS(ISOTICK_FRAME_KIND)
#undef ISOTICK_FRAME_KIND
};

/// One item. Which members a kind uses is fixed by its parameters in SCHEDULES.md; Schedule sets
/// the others to their defaults, so that equal meanings compare equal.
struct ScheduleItem {
    FrameKind kind = FrameKind::frame;
    std::uint16_t per_mille = 0;     ///< share of unusual frames, 0 to 1000
    std::uint32_t every = 0;         ///< one unusual event in so many frames
    std::uint32_t burst_frames = 0;  ///< length of a burst
    std::uint32_t scale = 1000;      ///< how long a capture's frames are made, per mille
    std::uint64_t count = 1;         ///< frames; kEndless for an item that never ends
    std::optional<TickRate> rate{};  ///< none: the session's own tick rate
    FrameTime duration{};            ///< nanoseconds
    FrameTime other_duration{};      ///< nanoseconds; of a capture, zero: to its end
    std::uint64_t seed = 0;
    SharedCapture capture{};  ///< none, but of a capture

    friend bool operator==(const ScheduleItem&, const ScheduleItem&) = default;
};

/// `count` of an item that never ends. A plain frame time (FrameKind::frame) and a capture always
/// end.
inline constexpr std::uint64_t kEndless = 0;

inline constexpr std::uint64_t kMostItemFrames = 1'000'000'000'000;
inline constexpr std::uint32_t kMostBurstFrames = 1'000'000;
inline constexpr std::uint32_t kMostEvery = 1'000'000'000;
/// The longest duration a generator takes (plain frame times may be any int64), nanoseconds.
inline constexpr std::int64_t kLongestDuration = 3600 * kNanosecondsPerSecond;
/// The coarsest clock `quantised` takes, nanoseconds.
inline constexpr std::int64_t kCoarsestClock = kNanosecondsPerSecond;
/// Rates of generators lie from 1/kMostGeneratorRate to kMostGeneratorRate per second.
inline constexpr std::uint32_t kMostGeneratorRate = 1'000'000;
/// The most a capture is slowed down, per mille: a hundred times.
inline constexpr std::uint32_t kMostScale = 100'000;
inline constexpr std::uint32_t kMostLoops = 1'000'000;

}  // namespace isotick::core
