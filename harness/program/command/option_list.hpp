#pragma once
// The options of one command, declared without the parser that reads them.

#include <cstdint>
#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace isotick::program {

/// Declares options. What a value is read into must outlive the parsing; what it holds before is
/// the option's default, which help shows. A name is `--name` or `-n,--name`; without dashes it is
/// of an argument. `type` is what help shows in place of a value.
class OptionList {
  public:
    explicit OptionList(CLI::App& app) : app_(app) {}

    void flag(const char* name, bool& given, const char* help);
    /// `--name`, which then reads `alone`, or `--name=value`.
    void flag_with_value(const char* name, const char* alone, std::string& value, const char* help);
    void text(const char* name, std::string& value, const char* type, const char* help);
    void text(const char* name, std::optional<std::string>& value, const char* type,
              const char* help);
    /// May be given several times.
    void texts(const char* name, std::vector<std::string>& values, const char* type,
               const char* help);
    /// Whole decimal numbers from `least` to `most`; help calls them NUMBER.
    void number(const char* name, std::uint64_t& value, const char* help, std::uint64_t least = 0,
                std::uint64_t most = UINT64_MAX);
    void number(const char* name, std::uint32_t& value, const char* help, std::uint64_t least = 0,
                std::uint64_t most = UINT32_MAX);
    void number(const char* name, std::optional<std::uint64_t>& value, const char* type,
                const char* help);
    void number(const char* name, std::optional<std::uint32_t>& value, const char* type,
                const char* help);
    /// Seconds, whole or not, from 0 to 10^9.
    void seconds(const char* name, double& value, const char* help);
    void choice(const char* name, std::string& value, const std::vector<std::string>& choices,
                const char* help);

    void argument(const char* name, std::string& value, const char* help);
    /// One or more, or exactly one.
    void arguments(const char* name, std::vector<std::string>& values, const char* help);
    void argument(const char* name, std::vector<std::string>& values, const char* help);
    /// Any number, none too.
    void more_arguments(const char* name, std::vector<std::string>& values, const char* help);

    // Of options that were declared before.
    void required(const char* name, bool is_required = true);
    void excludes(const char* name, std::initializer_list<const char*> others);
    void needs(const char* name, const char* other);
    void describe(const char* name, const char* help);

    /// Adds a paragraph below the options.
    void footer(const std::string& paragraph);

  private:
    CLI::App& app_;
};

}  // namespace isotick::program
