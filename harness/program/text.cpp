#include "text.hpp"

#include <fmt/format.h>

namespace isotick::program {

std::string grouped(std::uint64_t number) {
    std::string digits = std::to_string(number);
    for (std::size_t place = digits.size(); place > 3;) {
        place -= 3;
        digits.insert(place, 1, ',');
    }
    return digits;
}

std::string row(std::string_view name, std::string_view value) {
    return value.empty() ? std::string() : fmt::format("  {:<11} {}\n", name, value);
}

std::string counted(std::uint64_t count, std::string_view noun) {
    const char* plural = noun.ends_with("sh") ? "es" : "s";
    return fmt::format("{} {}{}", grouped(count), noun, count == 1 ? "" : plural);
}

std::string ticks_per_frame(const harness::TrialStatistics& statistics) {
    const std::uint64_t least = statistics.least_ticks_per_frame;
    const std::uint64_t most = statistics.most_ticks_per_frame;
    return least == most ? counted(most, "tick") + " per frame"
                         : fmt::format("{} to {} ticks per frame", least, most);
}

std::string nans_text(std::string_view policy) {
    return policy == "one" ? " (all NaNs alike)" : "";
}

std::string in_words(harness::Verdict verdict) {
    return verdict == harness::Verdict::timed_out ? "timed out" : std::string(to_string(verdict));
}

std::string shell_word(std::string_view text) {
    constexpr std::string_view kPlain =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./:=,+@%";
    if (!text.empty() && text.find_first_not_of(kPlain) == std::string_view::npos) {
        return std::string(text);
    }
    std::string quoted(1, '\'');
    for (const char letter : text) {
        if (letter == '\'') {
            quoted += "'\\''";  // ends the quotes, adds one, begins again
        } else {
            quoted += letter;
        }
    }
    quoted += '\'';
    return quoted;
}

std::string session_line(const replay::SessionInfo& session, std::uint64_t ticks) {
    const std::string config = to_string(session.config);
    return fmt::format("{}, {}, {} at {}, seed {}{}{}", session.simulation,
                       counted(session.players, "player"), counted(ticks, "tick"),
                       to_string(session.rate), session.seed, config.empty() ? "" : ", ", config);
}

std::string printed_output(std::string_view whose, std::string_view output) {
    std::string text = fmt::format("{} printed:\n", whose);
    while (!output.empty()) {
        const std::size_t end = output.find('\n');
        text += fmt::format("  | {}\n", output.substr(0, end));
        output.remove_prefix(end == std::string_view::npos ? output.size() : end + 1);
    }
    text.pop_back();
    return text;
}

}  // namespace isotick::program
