#pragma once
// Links object files into a simulation, with the command that the user gave.

#include "compile_commands.hpp"
#include "tool.hpp"

#include <isotick/core/result.hpp>

#include <cstddef>
#include <string>
#include <vector>

namespace isotick::harness::bisect {

/// How object files become a simulation. `{objects}` and `{out}` stand for them and for what is
/// made.
struct LinkRecipe {
    std::string command;     ///< for sh; empty: a plug-in, by the compiler of the units
    std::string simulation;  ///< `{out}`, or `exec:` and a command
    std::string folder;      ///< to run in
};

/// A simulation, or why there is none.
struct Linked {
    std::string simulation;
    std::string failure;  ///< empty: it was made
    std::string log;
};

class Linker {
  public:
    /// In place of `{objects}` the command may name object files of units, and in place of `{out}`
    /// what stands behind `-o`: as a build prints it. Fails with `usage` where neither is there.
    [[nodiscard]] static core::Result<Linker> make(LinkRecipe recipe,
                                                   const std::vector<CompileCommand>& units);

    /// Those of the units that are linked, in their order.
    [[nodiscard]] const std::vector<CompileCommand>& units() const { return units_; }

    /// Links into `folder`, which is made. `objects` are the paths for each of units().
    [[nodiscard]] core::Result<Linked> link(const std::vector<std::vector<std::string>>& objects,
                                            const std::string& folder,
                                            const ToolLimits& limits) const;

  private:
    enum class PieceKind { text, unit, all_units, output };
    struct Piece {
        PieceKind kind = PieceKind::text;
        std::string text{};    ///< of text
        std::size_t unit = 0;  ///< of unit: its number
    };

    explicit Linker(LinkRecipe recipe) : recipe_(std::move(recipe)) {}

    void split(const std::vector<CompileCommand>& units);
    [[nodiscard]] Piece piece_of(const std::string& word, bool is_output,
                                 const std::vector<CompileCommand>& units) const;
    [[nodiscard]] bool has(PieceKind kind) const;
    void keep_linked(const std::vector<CompileCommand>& units);
    [[nodiscard]] std::string command_for(const std::vector<std::vector<std::string>>& objects,
                                          const std::string& out) const;

    LinkRecipe recipe_;
    std::vector<Piece> pieces_;
    std::vector<CompileCommand> units_;
};

}  // namespace isotick::harness::bisect
