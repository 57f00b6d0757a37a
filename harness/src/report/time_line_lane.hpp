#pragma once
// A peer's lane in the picture of a session, and the SVG that it is drawn with.

#include <isotick/harness/lockstep.hpp>
#include <isotick/harness/network.hpp>

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace isotick::harness {

// Elements of an SVG image. Coordinates are whole tenths of a unit, so that no number is ever
// rounded by a printer.

/// `12.3` of 123, `12` of 120.
[[nodiscard]] std::string svg_number(std::int64_t tenths);

struct SvgBox {
    std::int64_t x = 0;  ///< tenths
    std::int64_t y = 0;
    std::int64_t width = 0;
    std::int64_t height = 0;
};

/// `style`: names of a class, as all that follows.
[[nodiscard]] std::string svg_box(const SvgBox& box, std::string_view style);

[[nodiscard]] std::string svg_text(std::int64_t x, std::int64_t y, std::string_view style,
                                   std::string_view text);

/// A path, drawn piece by piece. Empty where nothing was drawn.
class SvgPath {
  public:
    void move(std::int64_t x, std::int64_t y);
    void to_x(std::int64_t x);
    void to_y(std::int64_t y);
    void close() { data_ += 'Z'; }

    /// A line down from there, or up where it is negative.
    void upright(std::int64_t x, std::int64_t y, std::int64_t height) {
        move(x, y);
        to_y(y + height);
    }

    [[nodiscard]] std::string element(std::string_view style) const;

  private:
    std::string data_;
};

// Which part of a session a time line shows, and what went wrong when.

inline constexpr std::int64_t kLongestWindow = 30'000'000'000;

/// A moment at which a session went wrong.
struct Failure {
    std::uint32_t peer = 0;
    std::int64_t at_ns = 0;
    std::string text;  ///< `diverged at tick 512`
};

/// None where all peers agreed, or did not come to disagree in a frame that is known.
[[nodiscard]] std::optional<Failure> failure_of(const LockstepTrial& trial);

/// A part of a session, from its beginning on.
struct Window {
    std::int64_t from_ns = 0;
    std::int64_t to_ns = 0;

    [[nodiscard]] std::int64_t length() const { return to_ns - from_ns; }
    [[nodiscard]] bool has(std::int64_t at_ns) const { return from_ns <= at_ns && at_ns <= to_ns; }
    friend bool operator==(const Window&, const Window&) = default;
};

/// All of a session of `length_ns`, or a part of kLongestWindow: two thirds of it before
/// `around_ns`, where there is such a moment.
[[nodiscard]] Window window_of(std::int64_t length_ns, std::optional<std::int64_t> around_ns);

// What one peer did, as a lane of a time line.

/// Where time is on the image: all in tenths of its units.
struct TimeScale {
    Window window;
    std::int64_t left = 0;
    std::int64_t width = 0;

    [[nodiscard]] std::int64_t right() const { return left + width; }
    /// Moments outside of the window are at its ends.
    [[nodiscard]] std::int64_t x(std::int64_t at_ns) const;
};

/// What all lanes of an image share.
struct LaneScale {
    TimeScale time;
    std::uint64_t most_ahead = 0;  ///< ticks that any peer runs ahead
    std::uint64_t most_below = 4;  ///< ticks that any goes back, or has inputs for; at least 1
};

[[nodiscard]] LaneScale lane_scale(const LockstepTrial& trial, const TimeScale& time);

inline constexpr std::int64_t kLaneHeight = 1260;
inline constexpr std::int64_t kLaneDistance = 1360;

/// The lane of `peer` without its ground, whose upper edge is at `top`.
[[nodiscard]] std::string draw_lane(const LockstepTrial& trial, std::uint32_t peer,
                                    const LaneScale& scale, std::int64_t top);

// What became of the packets to one peer, as a strip of its lane.

inline constexpr std::int64_t kLatestShown = 200'000'000;  ///< as high as the strip, nanoseconds

/// Packets at the times when they were sent, upwards from `bottom`: those that never arrived, those
/// that came late, by their height, and those that came twice.
[[nodiscard]] std::string draw_packets(std::span<const LoggedPacket> packets, std::uint32_t to,
                                       const TimeScale& time, std::int64_t bottom);

}  // namespace isotick::harness
