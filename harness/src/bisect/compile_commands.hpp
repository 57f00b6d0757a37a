#pragma once
// A compilation database.

#include <isotick/core/result.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace isotick::harness::bisect {

// How each translation unit is compiled the usual way: a compile_commands.json.

/// One translation unit. All paths but `file` are absolute.
struct CompileCommand {
    std::string file;                ///< the source, as it is named there
    std::string folder;              ///< to run in
    std::vector<std::string> words;  ///< the compiler, perhaps behind ccache, and its arguments
    std::string output;              ///< the object file of the usual build
};

/// Reads a JSON compilation database, as CMake and Bear write it. Fails with `usage` where it is
/// none or has no unit. Of units with the same output the first counts.
[[nodiscard]] core::Result<std::vector<CompileCommand>> read_compile_commands(
    const std::string& path);

/// Those whose source or output fits one of the shell patterns: `*/game.dir/*`; without patterns
/// all. Fails with `usage` where a pattern fits none.
[[nodiscard]] core::Result<std::vector<CompileCommand>> chosen_units(
    std::vector<CompileCommand> units, const std::vector<std::string>& patterns);

/// The path of `path`, seen from `folder`, without dots in it.
[[nodiscard]] std::string full_path(const std::string& folder, const std::string& path);

}  // namespace isotick::harness::bisect
