#pragma once
// A command of the program: its name, its options and what it does.

#include "../output/console.hpp"
#include "option_list.hpp"

#include <isotick/harness/detail/simulation_catalog.hpp>

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <utility>

namespace isotick::program {

// How this program is called.

struct ProgramName {
    std::string typed;  ///< as it was called: what calls it again
    std::string shown;  ///< without its folder
};

// The program of this name is found wherever it is installed; others are called as they were.
inline ProgramName name_of(const std::string& typed) {
    const std::string shown = typed.substr(typed.rfind('/') + 1);
    return {shown == "isotick" ? shown : typed, shown};
}

// A command of the program: its name, its options and what it does. Each stands in a file
// under commands/, and in the table of command_line.cpp.

/// What a command has to work with. Outlives what it does.
struct CommandFrame {
    ProgramName name;
    std::span<const char* const> arguments;  ///< the program's, its name the first
    harness::SimulationCatalog& catalog;
    Console& console;

    /// The only simulation there is; empty where there are several.
    [[nodiscard]] std::string only_simulation() const {
        const auto tables = catalog.built_in();
        return tables.size() == 1 ? tables.front()->info->name : "";
    }
};

/// Does it, with the options that were read, and returns the exit code to end with.
using Action = std::function<int()>;

struct Command {
    const char* name;  ///< one word, or two: that of its group comes first, as in `bisect step`
    const char* summary;
    const char* below;  ///< its options: examples, and what else there is to say
    Action (*declare)(OptionList& list, CommandFrame& frame);
    /// The exit code of wrong usage, of a stdout that takes no results and of a failure of isotick
    /// itself, where it is not the usual one; 0: it is.
    int refusal = 0;
};

/// Commands whose names begin with the same word.
struct CommandGroup {
    const char* name;
    const char* summary;
    const char* below;
};

/// In the order in which help lists them; those of a group one after the other.
[[nodiscard]] std::span<const Command* const> commands();
[[nodiscard]] std::span<const CommandGroup> command_groups();

/// The options of a command, with what all commands have. The action keeps them alive.
template <class Options>
[[nodiscard]] std::shared_ptr<Options> common_options(OptionList& list, const CommandFrame& frame) {
    auto options = std::make_shared<Options>();
    options->program = frame.name.typed;
    list.flag("--json", options->json, "Print the result as JSON");
    return options;
}

}  // namespace isotick::program
