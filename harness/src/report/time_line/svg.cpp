#include "svg.hpp"

#include <isotick/core/detail/text/printable.hpp>

#include <fmt/format.h>

namespace isotick::harness {

std::string svg_number(std::int64_t tenths) {
    const std::int64_t size = tenths < 0 ? -tenths : tenths;
    std::string text = fmt::format("{}{}", tenths < 0 ? "-" : "", size / 10);
    return size % 10 == 0 ? text : text + fmt::format(".{}", size % 10);
}

std::string svg_escaped(std::string_view text) {
    std::string escaped;
    for (const char one : core::printable(text)) {
        switch (one) {
            case '&':
                escaped += "&amp;";
                break;
            case '<':
                escaped += "&lt;";
                break;
            case '>':
                escaped += "&gt;";
                break;
            case '"':
                escaped += "&quot;";
                break;
            default:
                escaped += one;
        }
    }
    return escaped;
}

std::string svg_box(const SvgBox& box, std::string_view style) {
    return fmt::format("<rect class=\"{}\" x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\"/>\n", style,
                       svg_number(box.x), svg_number(box.y), svg_number(box.width),
                       svg_number(box.height));
}

std::string svg_text(std::int64_t x, std::int64_t y, std::string_view style,
                     std::string_view text) {
    return fmt::format("<text class=\"{}\" x=\"{}\" y=\"{}\">{}</text>\n", style, svg_number(x),
                       svg_number(y), svg_escaped(text));
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

}  // namespace isotick::harness
