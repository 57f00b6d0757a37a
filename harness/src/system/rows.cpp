#include "rows.hpp"

#include <isotick/core/detail/text.hpp>

#include <algorithm>
#include <cctype>

#include <fmt/format.h>

namespace isotick::harness {

std::string heading(std::string_view text) {
    return core::printable(text) + "\n";
}

std::string row(std::string_view name, std::string_view value) {
    return value.empty()
               ? std::string()
               : fmt::format("  {:<11} {}\n", core::printable(name), core::printable(value));
}

std::string paragraph(std::string_view name, std::string_view value) {
    constexpr std::size_t kWidth = 100;
    constexpr std::size_t kIndent = 14;
    const std::string text = core::printable(value);
    std::string lines;
    std::size_t column = kIndent;
    for (std::size_t from = 0; from < text.size();) {
        std::size_t end = text.find(' ', from);
        while (end < text.size() && text.find_first_not_of(' ', end) != end + 1) {
            end = text.find(' ', text.find_first_not_of(' ', end));  // two spaces hold together
        }
        end = std::min(end, text.size());
        const std::string_view word = std::string_view(text).substr(from, end - from);
        const auto width = static_cast<std::size_t>(std::ranges::count_if(
            word, [](char byte) { return (static_cast<unsigned char>(byte) & 0xc0U) != 0x80U; }));
        const bool fits = column + 1 + width <= kWidth;
        if (column > kIndent) {
            lines += fits ? " " : "\n" + std::string(kIndent, ' ');
            column = fits ? column + 1 : kIndent;
        }
        lines += word;
        column += width;
        from = end + 1;
    }
    return lines.empty() ? lines : fmt::format("  {:<11} {}\n", core::printable(name), lines);
}

std::string xml_escaped(std::string_view text) {
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

std::string grouped(std::uint64_t number) {
    std::string digits = std::to_string(number);
    for (std::size_t place = digits.size(); place > 3;) {
        place -= 3;
        digits.insert(place, 1, ',');
    }
    return digits;
}

std::string counted(std::uint64_t count, std::string_view noun) {
    const char* plural = noun.ends_with("sh") || noun.ends_with("ss") ? "es" : "s";
    return fmt::format("{} {}{}", grouped(count), noun, count == 1 ? "" : plural);
}

std::string seconds_text(std::int64_t ns) {
    return fmt::format("{:.3f} s", static_cast<double>(ns) / 1e9);
}

std::string input_text(const replay::InputBytes& input) {
    if (!input) {
        return "absent";
    }
    if (input->empty()) {
        return "empty";
    }
    constexpr std::size_t kMostShown = 32;
    std::string text;
    for (std::size_t i = 0; i < std::min(input->size(), kMostShown); ++i) {
        text += fmt::format("{}{:02x}", i == 0 ? "" : " ", (*input)[i]);
    }
    return input->size() > kMostShown
               ? text + fmt::format(" … ({} in all)", counted(input->size(), "byte"))
               : text;
}

std::string what_differs(const replay::SessionDifference& difference) {
    using What = replay::SessionDifference::What;
    switch (difference.what) {
        case What::simulation:
            return "the simulation";
        case What::rate:
            return "the tick rate";
        case What::players:
            return "the number of players";
        case What::seed:
            return "the seed";
        case What::config:
            return "the config's " + difference.config_key;
        case What::input:
            return difference.player == ISOTICK_WORLD
                       ? "the input of the world"
                       : fmt::format("the input of player {}", difference.player);
        case What::dt:
            return "the dt";
    }
    return "";
}

std::string ticks_per_frame(const TrialStatistics& statistics) {
    const std::uint64_t least = statistics.least_ticks_per_frame;
    const std::uint64_t most = statistics.most_ticks_per_frame;
    return least == most ? counted(most, "tick") + " per frame"
                         : fmt::format("{} to {} ticks per frame", least, most);
}

std::string loads_text(const TrialStatistics& statistics,
                       std::span<const core::LoopOptions> loops) {
    const bool goes_back = std::ranges::any_of(loops, [](const core::LoopOptions& loop) {
        return loop.kind == core::LoopKind::reversible;
    });
    if (statistics.state_loads == 0) {
        return goes_back ? "none" : "";
    }
    const std::uint64_t least = statistics.least_ticks_back;
    const std::string depths =
        least == statistics.most_ticks_back
            ? counted(least, "tick")
            : fmt::format("{} to {}", least, counted(statistics.most_ticks_back, "tick"));
    const std::uint64_t others = statistics.ticks - statistics.ticks_undone;
    const std::string share = others == 0 ? ""
                                          : fmt::format(", {}% of ticks run again",
                                                        statistics.ticks_undone * 100 / others);
    return fmt::format("{}, {} back{}", grouped(statistics.state_loads), depths, share);
}

std::string in_words(Verdict verdict) {
    return verdict == Verdict::timed_out ? "timed out" : std::string(to_string(verdict));
}

std::string in_capitals(std::string_view word) {
    std::string capitals(word);
    for (char& letter : capitals) {
        letter = static_cast<char>(std::toupper(static_cast<unsigned char>(letter)));
    }
    return capitals;
}

std::string session_line(const replay::SessionInfo& session, std::uint64_t ticks) {
    const std::string config = to_string(session.config);
    return fmt::format("{}, {}, {} at {}, seed {}{}{}", session.simulation,
                       counted(session.players, "player"), counted(ticks, "tick"),
                       to_string(session.rate), session.seed, config.empty() ? "" : ", ", config);
}

}  // namespace isotick::harness
