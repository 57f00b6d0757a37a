#include "two_settings.hpp"

namespace isotick::harness {
namespace {

// The number behind `name`, which is taken off the front; 0 where something else stands there.
std::uint64_t take_setting(std::string_view& text, std::string_view name, std::uint32_t most) {
    if (!text.starts_with(name) || !text.substr(name.size()).starts_with(' ')) {
        return 0;
    }
    const std::string_view rest = text.substr(name.size() + 1);
    const std::size_t end = std::min(rest.find(' '), rest.size());
    const auto number = parse_count(rest.substr(0, end), most);
    if (!number) {
        return 0;
    }
    text = rest.substr(std::min(end + 1, rest.size()));
    return *number;
}

}  // namespace

std::tuple<std::uint64_t, std::uint64_t> TwoSettings::values(std::string_view value) const {
    const std::uint64_t first_value = take_setting(value, first, most_first);
    const std::uint64_t second_value = take_setting(value, second, most_second);
    return {first_value, second_value};
}

std::string TwoSettings::text(std::uint64_t first_value, std::uint64_t second_value) const {
    std::string written;
    if (first_value != 0) {
        written = std::string(first) + " " + std::to_string(first_value);
    }
    if (second_value != 0) {
        written +=
            (written.empty() ? "" : " ") + std::string(second) + " " + std::to_string(second_value);
    }
    return written;
}

core::Result<void> TwoSettings::check(std::string_view value) const {
    const auto [first_value, second_value] = values(value);
    if (!value.empty() && text(first_value, second_value) == value) {
        return {};
    }
    return core::fail(
        core::ErrorCode::usage,
        "expected " + std::string(first) + " and a number up to " + std::to_string(most_first) +
            ", " + std::string(second) + " and a number up to " + std::to_string(most_second) +
            ", or both, as in '" + text(1, 2) + "', not '" + std::string(value) + "'");
}

std::string TwoSettings::draw(core::Pcg32& random) const {
    const std::uint64_t first_value = 1 + random.below(most_first);
    return text(first_value, 1 + random.below(most_second));
}

std::vector<std::string> TwoSettings::plainer(std::string_view value) const {
    const auto [first_value, second_value] = values(value);
    if (first_value == 0 || second_value == 0) {
        return {};
    }
    return {text(first_value, 0), text(0, second_value)};
}

}  // namespace isotick::harness
