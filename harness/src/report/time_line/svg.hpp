#pragma once
// Elements of an SVG image. Coordinates are whole tenths of a unit, so that no number is ever
// rounded by a printer.

#include <cstdint>
#include <string>
#include <string_view>

namespace isotick::harness {

/// `12.3` of 123, `12` of 120.
[[nodiscard]] std::string svg_number(std::int64_t tenths);

/// Text between tags, or in quotes. What XML cannot hold, or would read as its own, is escaped.
[[nodiscard]] std::string svg_escaped(std::string_view text);

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

}  // namespace isotick::harness
