#include "command_line.hpp"

#include "../options/options.hpp"
#include "command.hpp"

#include <isotick/core/detail/simulation_table.hpp>
#include <isotick/core/detail/text.hpp>
#include <isotick/harness/detail/version.hpp>
#include <isotick/harness/detail/worker.hpp>

#include <algorithm>
#include <array>
#include <csignal>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <new>
#include <numeric>
#include <optional>
#include <regex>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>

namespace isotick::program {

// "Did you mean": the name that a misspelt one comes nearest to.

/// `; did you mean X?` where one of `names` is at most a third of its letters away from `word`, by
/// letters added, left out, changed or swapped with their neighbor; empty where none is. Of several
/// at the same distance the first is taken.
[[nodiscard]] std::string did_you_mean(std::string_view word,
                                       const std::vector<std::string>& names);

namespace {

// The optimal string alignment distance (a Levenshtein distance with swaps of neighbors).
std::size_t distance(std::string_view a, std::string_view b) {
    std::vector<std::size_t> before_last(b.size() + 1);
    std::vector<std::size_t> last(b.size() + 1);
    std::vector<std::size_t> row(b.size() + 1);
    std::iota(last.begin(), last.end(), 0U);
    for (std::size_t i = 1; i <= a.size(); ++i) {
        row[0] = i;
        for (std::size_t j = 1; j <= b.size(); ++j) {
            const std::size_t changed = last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
            row[j] = std::min({last[j] + 1, row[j - 1] + 1, changed});
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
                row[j] = std::min(row[j], before_last[j - 2] + 1);
            }
        }
        before_last.swap(last);
        last.swap(row);
    }
    return last.back();
}

}  // namespace

std::string did_you_mean(std::string_view word, const std::vector<std::string>& names) {
    constexpr std::size_t kLongestWord = 40;  // longer ones are no slip of the fingers
    if (word.empty() || word.size() > kLongestWord) {
        return "";
    }
    const auto by_distance = [word](const std::string& a, const std::string& b) {
        return distance(word, a) < distance(word, b);
    };
    const auto nearest = std::min_element(names.begin(), names.end(), by_distance);
    const bool near = nearest != names.end() && distance(word, *nearest) * 3 <= nearest->size();
    return near ? "; did you mean " + *nearest + "?" : "";
}

// What the command line says of itself: the help's last lines, and what is wrong with a call.

/// What stands below the list of commands.
extern const char* const kFooter;

/// An example as it is typed here: with this program's name, and without `--sim skirmish` where
/// the program has one simulation only.
[[nodiscard]] std::string in_own_words(std::string text, const ProgramName& name,
                                       bool one_simulation);

/// `; did you mean --x?` where `word` is an option's name and like one of `options`.
[[nodiscard]] std::string near_option(const std::string& word,
                                      const std::vector<std::string>& options);

/// `help` and `help COMMAND` as `--help` and `COMMAND --help`; all else as it is.
[[nodiscard]] std::vector<std::string> help_as_option(std::vector<std::string> arguments);

/// Why these arguments (without the program's name) name none of the commands `names`; nothing
/// where they do, or where the program itself has an option of that name.
[[nodiscard]] std::optional<std::string> no_command(const std::vector<std::string>& names,
                                                    const std::vector<std::string>& arguments);

const char* const kFooter =
    "Example:\n"
    "  isotick record --sim skirmish --ticks 3600 -o s.isotick\n"
    "  isotick verify s.isotick --trials 200\n"
    "\n"
    "Exit codes:\n"
    "  0 identical, or done    3 a file is damaged or cannot be read or written\n"
    "  1 diverged, or blind    4 inconclusive\n"
    "  2 wrong usage           5 the simulation crashed or timed out\n"
    "If several apply: the first of 1, 5, 3, 4.";

std::string in_own_words(std::string text, const ProgramName& name, bool one_simulation) {
    if (name.shown != "isotick") {
        static const std::regex isotick(R"((^|[^.\w])isotick )");
        text = std::regex_replace(text, isotick, "$1" + name.shown + " ");
    }
    return one_simulation ? std::regex_replace(text, std::regex("( --sim) skirmish"), "") : text;
}

std::string near_option(const std::string& word, const std::vector<std::string>& options) {
    return word.starts_with("--") ? did_you_mean(word.substr(0, word.find('=')), options) : "";
}

std::vector<std::string> help_as_option(std::vector<std::string> arguments) {
    if (!arguments.empty() && arguments.front() == "help") {
        arguments.erase(arguments.begin());
        arguments.emplace_back("--help");
    }
    return arguments;
}

std::optional<std::string> no_command(const std::vector<std::string>& names,
                                      const std::vector<std::string>& arguments) {
    if (arguments.empty()) {
        return "a command is missing: " + core::joined(names);
    }
    const std::string& first = arguments.front();
    if (first.starts_with('-') || std::ranges::count(names, first) > 0) {
        return std::nullopt;
    }
    return "unknown command '" + first + "'; there are " + core::joined(names) +
           did_you_mean(first, names);
}

extern const Command kAuditCommand;
extern const Command kBisectBuildCommand;
extern const Command kBisectCommitsCommand;
extern const Command kBisectStepCommand;
extern const Command kBisectTicksCommand;
extern const Command kCorpusCommand;
extern const Command kDiffCommand;
extern const Command kExportCommand;
extern const Command kImportCommand;
extern const Command kInspectCommand;
extern const Command kLockstepCommand;
extern const Command kNetplayCommand;
extern const Command kLoopsCommand;
extern const Command kMergeCommand;
extern const Command kMinimizeCommand;
extern const Command kRecordCommand;
extern const Command kRepairCommand;
extern const Command kReplayCommand;
extern const Command kReviewCommand;
extern const Command kServeCommand;
extern const Command kSimsCommand;
extern const Command kVerifyCommand;
extern const Command kWhyCommand;

std::span<const Command* const> commands() {
    static constexpr std::array kCommands{
        &kSimsCommand,       &kLoopsCommand,       &kRecordCommand,     &kReplayCommand,
        &kVerifyCommand,     &kMergeCommand,       &kReviewCommand,     &kCorpusCommand,
        &kLockstepCommand,   &kNetplayCommand,     &kWhyCommand,        &kMinimizeCommand,
        &kDiffCommand,       &kInspectCommand,     &kRepairCommand,     &kExportCommand,
        &kImportCommand,     &kAuditCommand,       &kServeCommand,      &kBisectCommitsCommand,
        &kBisectStepCommand, &kBisectTicksCommand, &kBisectBuildCommand};
    return kCommands;
}

std::span<const CommandGroup> command_groups() {
    static constexpr std::array kGroups{
        CommandGroup{"bisect", "Find which commit, tick, or flag changed a session's results",
                     "Example:\n"
                     "  git bisect run isotick bisect step s.isotick --sim ./game.so\n"
                     "  isotick bisect ticks monday.isotick ./tuesday.so"}};
    return kGroups;
}

namespace {

using Arguments = std::span<const char* const>;

constexpr int kUsage = 2;
constexpr int kInternalFailure = 3;

// For a handler that is given nothing.
Arguments all_arguments;
std::terminate_handler usual_terminate;

// The exit code of the command that the user named where it does not end as it should: its own, if
// it has one. Needs no memory.
int in_place_of(int code, Arguments arguments) {
    for (const Command* const command : commands()) {
        std::string_view left = command->name;
        bool is_meant = command->refusal != 0;
        for (std::size_t at = 1; is_meant && !left.empty(); ++at) {
            const std::string_view word = left.substr(0, left.find(' '));
            is_meant = at < arguments.size() && arguments[at] == word;
            left.remove_prefix(std::min(word.size() + 1, left.size()));
        }
        if (is_meant) {
            return command->refusal;
        }
    }
    return code;
}

// Puts defaults behind the descriptions, and says `command` where CLI11 says `subcommand`.
class HelpFormatter : public CLI::Formatter {
  public:
    HelpFormatter() {
        label("OPTIONS", "options");
        label("Positionals", "Arguments");
    }

    [[nodiscard]] std::string make_usage(const CLI::App* app, std::string name) const override {
        if (app->get_subcommands({}).empty()) {
            return "\n" + CLI::Formatter::make_usage(app, std::move(name));
        }
        return "\nUsage: " + name + " COMMAND [options]\n";
    }

    [[nodiscard]] std::string make_option_name(const CLI::Option* option,
                                               bool is_positional) const override {
        const std::string name = CLI::Formatter::make_option_name(option, is_positional);
        // CLI11 shows what a flag without a value stands for; people want to know what it may be.
        return name.substr(0, name.find('{'));
    }

    [[nodiscard]] std::string make_option_opts(const CLI::Option* option) const override {
        if (option->get_positional() || option->get_type_size() == 0) {
            return "";
        }
        return " " + option->get_type_name();
    }

    [[nodiscard]] std::string make_option_desc(const CLI::Option* option) const override {
        std::string text = option->get_description();
        if (!option->get_default_str().empty()) {
            text += " (" + option->get_default_str() + ")";
        }
        return option->get_required() && !option->get_positional() ? text + " (required)" : text;
    }
};

std::vector<std::string> option_names(const CLI::App& app) {
    std::vector<std::string> names;
    for (const CLI::Option* option : app.get_options()) {
        for (const std::string& name : option->get_lnames()) {
            names.push_back("--" + name);
        }
    }
    return names;
}

// What CLI11 says of an option that was given twice, or without its value, is hard to read.
std::string in_our_words(const CLI::ParseError& outcome, const CLI::App& app) {
    const std::string text = outcome.what();
    if (dynamic_cast<const CLI::ExtrasError*>(&outcome) != nullptr) {
        return text + near_option(text.substr(text.rfind(' ') + 1), option_names(app));
    }
    const std::string name = text.substr(0, text.find(':'));
    const CLI::Option* option = app.get_option_no_throw(name);
    if (dynamic_cast<const CLI::ArgumentMismatch*>(&outcome) == nullptr || option == nullptr) {
        return text;
    }
    return name + (option->count() > 1 ? ": given more than once"
                                       : ": a value is missing (" + option->get_type_name() + ")");
}

std::vector<std::string> names_of(const CLI::App& app) {
    std::vector<std::string> names;
    for (const CLI::App* command : app.get_subcommands({})) {
        names.push_back(command->get_name());
    }
    return names;
}

/// The parser and the command that the user chose.
class CommandLine {
  public:
    explicit CommandLine(CommandFrame& frame) : frame_(frame) {
        app_.description(
            "Proves that a fixed-timestep simulation computes the same bits however "
            "it is driven.");
        app_.name(frame.name.shown);
        app_.require_subcommand(0, 1);
        app_.formatter(std::make_shared<HelpFormatter>());
        app_.set_help_flag("-h,--help", "Show this help");
        app_.set_version_flag("-V,--version", std::string("isotick ") + harness::kVersion,
                              "Show the version");
        app_.footer(in_own_words(kFooter));
        for (const Command* command : commands()) {
            add(*command);
        }
    }

    int run(std::vector<std::string> arguments) {
        arguments = help_as_option(std::move(arguments));
        if (const auto why = no_command(names_of(app_), arguments)) {
            return refuse(*why, app_);
        }
        std::reverse(arguments.begin(), arguments.end());  // as CLI11 takes them
        try {
            app_.parse(std::move(arguments));
        } catch (const CLI::ParseError& outcome) {
            return report(outcome);
        }
        return chosen_ ? chosen_() : refuse(*no_command(names_of(innermost()), {}), innermost());
    }

  private:
    [[nodiscard]] std::string in_own_words(std::string text) const {
        return program::in_own_words(std::move(text), frame_.name,
                                     !frame_.only_simulation().empty());
    }

    void add(const Command& command) {
        const std::string_view name = command.name;
        const auto space = name.find(' ');
        CLI::App& parent = space == std::string_view::npos ? app_ : group_of(name.substr(0, space));
        CLI::App* app = parent.add_subcommand(std::string(name.substr(space + 1)), command.summary)
                            ->group("Commands");
        app->footer(in_own_words(command.below));
        OptionList list(*app);
        app->callback([this, action = command.declare(list, frame_)] { chosen_ = action; });
    }

    CLI::App& group_of(std::string_view name) {
        for (CLI::App* known : app_.get_subcommands({})) {
            if (known->get_name() == name) {
                return *known;
            }
        }
        const auto groups = command_groups();
        const auto group = std::ranges::find(groups, name, &CommandGroup::name);
        CLI::App* app = app_.add_subcommand(group->name, group->summary)->group("Commands");
        app->footer(in_own_words(group->below));
        app->require_subcommand(0, 1);
        return *app;
    }

    /// The innermost command that the user named; the program itself where there is none.
    [[nodiscard]] const CLI::App& innermost() const {
        const CLI::App* app = &app_;
        while (!app->get_subcommands().empty()) {
            app = app->get_subcommands().front();
        }
        return *app;
    }

    int refuse(const std::string& why, const CLI::App& app) {
        std::string names;
        for (const CLI::App* each = &app; each != &app_; each = each->get_parent()) {
            names.insert(0, each->get_name() + " ");
        }
        frame_.console.error(why + " (see " + frame_.name.shown + " " + names + "--help)");
        return in_place_of(kUsage, frame_.arguments);
    }

    int report(const CLI::ParseError& outcome) {
        if (outcome.get_exit_code() == static_cast<int>(CLI::ExitCodes::Success)) {
            std::ostringstream text;
            app_.exit(outcome, text, text);
            frame_.console.print(text.str().ends_with('\n') ? text.str() : text.str() + "\n");
            return 0;
        }
        const CLI::App& app = innermost();
        const auto names = names_of(app);
        const auto why = names.empty() ? std::nullopt : no_command(names, app.remaining());
        return refuse(why ? *why : in_our_words(outcome, app), app);
    }

    CommandFrame& frame_;
    CLI::App app_;
    Action chosen_;
};

int end_without_memory() {
    std::fputs("isotick: error: out of memory\n", stderr);
    return in_place_of(kInternalFailure, all_arguments);
}

// What has no memory left where it may not throw ends like the rest.
[[noreturn]] void terminate() {
    if (const auto thrown = std::current_exception()) {
        try {
            std::rethrow_exception(thrown);
        } catch (const std::bad_alloc&) {
            std::_Exit(end_without_memory());
        } catch (...) {  // a mistake
        }
    }
    usual_terminate();
    std::abort();
}

int run(Arguments arguments, std::span<const isotick_simulation_table* const> simulations) {
    const ProgramName name = name_of(arguments.empty() ? "isotick" : arguments.front());
    Console console(name.shown);
    for (const isotick_simulation_table* const table : simulations) {
        if (const auto checked = core::check_table(table); !checked) {
            return fail_with(checked.error(), console);
        }
    }
    harness::SimulationCatalog catalog({simulations.begin(), simulations.end()});
    if (const auto code = harness::run_if_worker(arguments, catalog)) {
        return *code;
    }
    usual_terminate = std::set_terminate(terminate);
    CommandFrame frame{name, arguments, catalog, console};
    const int code =
        CommandLine(frame).run({arguments.begin() + (arguments.empty() ? 0 : 1), arguments.end()});
    const auto flushed = console.flush();
    return flushed ? code : in_place_of(fail_with(flushed.error(), console), arguments);
}

}  // namespace

int run_program(int argument_count, const char* const* arguments,
                std::span<const isotick_simulation_table* const> simulations) {
    std::signal(SIGXFSZ, SIG_IGN);  // a file that may not grow is an error like a full disk
    all_arguments = Arguments(arguments, static_cast<std::size_t>(argument_count));
    try {
        return run(all_arguments, simulations);
    } catch (const std::bad_alloc&) {
        return end_without_memory();
    } catch (const std::exception& thrown) {
        std::fprintf(stderr, "isotick: internal error: %s\n", thrown.what());
    }
    return in_place_of(kInternalFailure, all_arguments);
}

}  // namespace isotick::program
