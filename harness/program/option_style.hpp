#pragma once
// How options look in --help, and which numbers they take.

#include <cstdint>

#include <CLI/CLI.hpp>

namespace isotick::program {

/// Accepts whole decimal numbers within the bounds. The library's own conversion would take -1 for
/// the largest number there is.
[[nodiscard]] CLI::Validator whole_number(std::uint64_t least = 0, std::uint64_t most = UINT64_MAX);

/// Accepts seconds, whole or not, from 0 to 10^9; neither infinity nor NaN.
[[nodiscard]] CLI::Validator seconds();

/// Sets the type of an option as --help shows it, and shows its default.
CLI::Option* shown_as(const char* type, CLI::Option* option);

/// Puts defaults behind the descriptions, and says `command` where CLI11 says `subcommand`.
class HelpFormatter : public CLI::Formatter {
  public:
    HelpFormatter();
    [[nodiscard]] std::string make_usage(const CLI::App* app, std::string name) const override;
    [[nodiscard]] std::string make_option_name(const CLI::Option* option,
                                               bool is_positional) const override;
    [[nodiscard]] std::string make_option_opts(const CLI::Option* option) const override;
    [[nodiscard]] std::string make_option_desc(const CLI::Option* option) const override;
};

}  // namespace isotick::program
