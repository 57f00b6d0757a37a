#include "option_list.hpp"

#include <charconv>
#include <string_view>
#include <utility>

#include <CLI/CLI.hpp>

namespace isotick::program {
namespace {

// The library's own conversion would take -1 for the largest number there is.
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

// Neither infinity nor NaN.
CLI::Validator finite_seconds() {
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

// Shows its default, too.
CLI::Option* shown_as(const char* type, CLI::Option* option) {
    return option->type_name(type)->capture_default_str();
}

}  // namespace

void OptionList::flag(const char* name, bool& given, const char* help) {
    app_.add_flag(name, given, help);
}

void OptionList::flag_with_value(const char* name, const char* alone, std::string& value,
                                 const char* help) {
    app_.add_flag(std::string(name) + "{" + alone + "}", value, help);
}

void OptionList::text(const char* name, std::string& value, const char* type, const char* help) {
    shown_as(type, app_.add_option(name, value, help));
}

void OptionList::text(const char* name, std::optional<std::string>& value, const char* type,
                      const char* help) {
    app_.add_option(name, value, help)->type_name(type);
}

void OptionList::texts(const char* name, std::vector<std::string>& values, const char* type,
                       const char* help) {
    app_.add_option(name, values, help)
        ->type_name(type)
        ->take_all()
        ->expected(1)
        ->allow_extra_args(false);
}

void OptionList::number(const char* name, std::uint64_t& value, const char* help,
                        std::uint64_t least, std::uint64_t most) {
    shown_as("NUMBER", app_.add_option(name, value, help))->check(whole_number(least, most));
}

void OptionList::number(const char* name, std::uint32_t& value, const char* help,
                        std::uint64_t least, std::uint64_t most) {
    shown_as("NUMBER", app_.add_option(name, value, help))->check(whole_number(least, most));
}

void OptionList::number(const char* name, std::optional<std::uint64_t>& value, const char* type,
                        const char* help) {
    app_.add_option(name, value, help)->type_name(type)->check(whole_number(0, UINT64_MAX));
}

void OptionList::number(const char* name, std::optional<std::uint32_t>& value, const char* type,
                        const char* help) {
    app_.add_option(name, value, help)->type_name(type)->check(whole_number(0, UINT32_MAX));
}

void OptionList::seconds(const char* name, double& value, const char* help) {
    shown_as("SECONDS", app_.add_option(name, value, help))->check(finite_seconds());
}

void OptionList::choice(const char* name, std::string& value,
                        const std::vector<std::string>& choices, const char* help) {
    std::string type;
    for (const std::string& word : choices) {
        type += (type.empty() ? "" : "|") + word;
    }
    shown_as(type.c_str(), app_.add_option(name, value, help))
        ->check(CLI::IsMember(choices).description(""));
}

void OptionList::argument(const char* name, std::string& value, const char* help) {
    app_.add_option(name, value, help);
}

void OptionList::arguments(const char* name, std::vector<std::string>& values, const char* help) {
    app_.add_option(name, values, help)->required();
}

void OptionList::argument(const char* name, std::vector<std::string>& values, const char* help) {
    app_.add_option(name, values, help)->required()->expected(1);
}

void OptionList::more_arguments(const char* name, std::vector<std::string>& values,
                                const char* help) {
    app_.add_option(name, values, help);
}

void OptionList::required(const char* name, bool is_required) {
    app_.get_option(name)->required(is_required);
}

void OptionList::excludes(const char* name, std::initializer_list<const char*> others) {
    for (const char* other : others) {
        app_.get_option(name)->excludes(app_.get_option(other));
    }
}

void OptionList::needs(const char* name, const char* other) {
    app_.get_option(name)->needs(app_.get_option(other));
}

void OptionList::describe(const char* name, const char* help) {
    app_.get_option(name)->description(help);
}

void OptionList::footer(const std::string& paragraph) {
    app_.footer(app_.get_footer() + "\n\n" + paragraph);
}

}  // namespace isotick::program
