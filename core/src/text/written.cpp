#include <isotick/core/detail/text/written.hpp>

#include <algorithm>

namespace isotick::core {
namespace {

/// `.667` of a fraction given in `decimals` digits, without trailing zeros; empty for zero.
std::string fraction_text(std::uint64_t fraction, std::size_t decimals) {
    if (fraction == 0) {
        return "";
    }
    std::string digits = std::to_string(fraction);
    digits.insert(0, decimals - digits.size(), '0');
    digits.erase(digits.find_last_not_of('0') + 1);
    return "." + digits;
}

}  // namespace

std::string share_text(std::uint32_t per_mille) {
    const std::uint32_t tenths = per_mille % 10;
    return std::to_string(per_mille / 10) + (tenths == 0 ? "" : "." + std::to_string(tenths)) + "%";
}

std::string quantity_text(std::uint64_t value, std::span<const Unit> units) {
    const auto unit =
        std::ranges::find_if(units, [value](const Unit& each) { return value >= each.size; });
    return std::to_string(value / unit->size) + fraction_text(value % unit->size, unit->decimals) +
           std::string(unit->name);
}

std::string quoted(std::string_view path) {
    std::string text = "\"";
    for (const char each : path) {
        text += each == '"' || each == '\\' ? "\\" : "";
        text += each;
    }
    return text + "\"";
}

}  // namespace isotick::core
