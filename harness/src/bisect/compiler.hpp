#pragma once
// Compiles single units, with the files that they need.

#include "compile_commands.hpp"
#include "tool.hpp"

#include <isotick/core/result.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace isotick::harness::bisect {

// Which files an object file was made of, and whether they still are what they were.

/// The files behind the colon of a rule for make, as `-MD -MF` writes it; seen from `folder`.
[[nodiscard]] std::vector<std::string> files_of_rule(const std::string& rule,
                                                     const std::string& folder);

/// The path of the program that `word` runs: a path, or found in PATH. Empty where there is none.
[[nodiscard]] std::string program_path(const std::string& word, const std::string& folder);

/// Writes what each of the files holds, as a digest, into the file `list`.
[[nodiscard]] core::Result<void> keep_needed_files(const std::string& list,
                                                   const std::vector<std::string>& files);

/// Whether there is such a list, and all of its files hold what they did.
[[nodiscard]] bool are_as_kept(const std::string& list);

// Compiles translation units, the usual way and another, and keeps the object files.

/// What is otherwise than in compile_commands.json.
struct Way {
    std::string compiler{};            ///< in place of the usual one; empty: that one
    std::vector<std::string> flags{};  ///< behind the usual ones

    /// Flags, or a compiler, or a compiler and flags: `-O3 -ffast-math`, `clang`, `clang -O3`.
    /// Fails with `usage`.
    [[nodiscard]] static core::Result<Way> parse(std::string_view text);

    /// The same with more flags.
    [[nodiscard]] Way with(const std::vector<std::string>& more) const;
};

/// The compiler's name in a unit's command, behind ccache and the like.
[[nodiscard]] const std::string& compiler_of(const CompileCommand& unit);

/// An object file, or why there is none.
struct Object {
    std::string path;
    std::string log;
    std::string failure{};  ///< empty: it was made
    std::string digest{};   ///< of what it holds
    bool from_cache = false;
};

class Compiler {
  public:
    /// Keeps object files in `work`, a folder that exists.
    Compiler(std::string work, ToolLimits limits)
        : work_(std::move(work)), limits_(std::move(limits)) {}

    /// Makes an object file without debug information, unless the same command made one of the
    /// same files before. Writes nothing outside the work folder. May be called by several threads
    /// at a time, for different commands.
    [[nodiscard]] core::Result<Object> compile(const CompileCommand& unit, const Way& way) const;

    /// Whether the compiler takes this flag.
    [[nodiscard]] core::Result<bool> takes(const CompileCommand& unit, const Way& way,
                                           const std::string& flag) const;

    [[nodiscard]] const ToolLimits& limits() const { return limits_; }

  private:
    std::string work_;
    ToolLimits limits_;
};

}  // namespace isotick::harness::bisect
