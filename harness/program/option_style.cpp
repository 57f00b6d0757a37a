#include "option_style.hpp"

#include <charconv>
#include <string>
#include <utility>

namespace isotick::program {

CLI::Validator whole_number(std::uint64_t least, std::uint64_t most) {
    const auto check = [least, most](std::string& text) {
        std::uint64_t value = 0;
        const char* const text_end = text.data() + text.size();
        const auto [end, error] = std::from_chars(text.data(), text_end, value);
        if (error == std::errc() && end == text_end && value >= least && value <= most) {
            return std::string();
        }
        return "'" + text + "' is not a whole number from " + std::to_string(least) + " to " +
               (most == UINT64_MAX ? "2^64-1" : std::to_string(most));
    };
    return CLI::Validator(check, "");
}

CLI::Validator seconds() {
    const auto check = [](std::string& text) {
        constexpr double kMost = 1e9;
        double value = 0;
        const char* const text_end = text.data() + text.size();
        const auto [end, error] = std::from_chars(text.data(), text_end, value);
        if (error == std::errc() && end == text_end && value >= 0 && value <= kMost) {
            return std::string();
        }
        return "'" + text + "' is not a number of seconds from 0 to 1000000000";
    };
    return CLI::Validator(check, "");
}

CLI::Option* shown_as(const char* type, CLI::Option* option) {
    return option->type_name(type)->capture_default_str();
}

HelpFormatter::HelpFormatter() {
    label("OPTIONS", "options");
    label("Positionals", "Arguments");
}

std::string HelpFormatter::make_usage(const CLI::App* app, std::string name) const {
    if (app->get_subcommands({}).empty()) {
        return "\n" + CLI::Formatter::make_usage(app, std::move(name));
    }
    return "\nUsage: " + name + " COMMAND [options]\n";
}

std::string HelpFormatter::make_option_name(const CLI::Option* option, bool is_positional) const {
    const std::string name = CLI::Formatter::make_option_name(option, is_positional);
    // CLI11 shows what a flag without a value stands for; people want to know what it may be.
    return name.substr(0, name.find('{'));
}

std::string HelpFormatter::make_option_opts(const CLI::Option* option) const {
    if (option->get_positional() || option->get_type_size() == 0) {
        return "";
    }
    return " " + option->get_type_name();
}

std::string HelpFormatter::make_option_desc(const CLI::Option* option) const {
    std::string text = option->get_description();
    if (!option->get_default_str().empty()) {
        text += " (" + option->get_default_str() + ")";
    }
    return option->get_required() && !option->get_positional() ? text + " (required)" : text;
}

}  // namespace isotick::program
