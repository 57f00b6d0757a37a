#include "command_line.hpp"

#include "../options/options.hpp"
#include "command.hpp"
#include "command_words.hpp"

#include <isotick/core/detail/adapter/simulation_table.hpp>
#include <isotick/harness/detail/version.hpp>
#include <isotick/harness/detail/worker/worker.hpp>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <new>
#include <sstream>
#include <string_view>
#include <utility>

#include <CLI/CLI.hpp>

namespace isotick::program {
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
