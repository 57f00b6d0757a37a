#include "linker.hpp"

#include "builder.hpp"
#include "compiler.hpp"

#include <isotick/core/detail/try.hpp>

#include <algorithm>
#include <array>
#include <filesystem>
#include <string_view>
#include <utility>

namespace isotick::harness::bisect {
namespace {

using core::ErrorCode;
using core::Result;

constexpr std::string_view kObjects = "{objects}";
constexpr std::string_view kOut = "{out}";
constexpr std::string_view kBlanks = " \t\n";

bool is_cpp(const CompileCommand& unit) {
    constexpr std::array<std::string_view, 5> kEndings{".C", ".c++", ".cc", ".cpp", ".cxx"};
    const std::string ending = std::filesystem::path(unit.file).extension().string();
    return std::ranges::find(kEndings, ending) != kEndings.end();
}

// A plug-in, by the compiler of a unit in C++ where there is one, since it links the library too.
std::string usual_command(const std::vector<CompileCommand>& units) {
    const auto unit = std::ranges::find_if(units, is_cpp);
    return word_for_shell(compiler_of(unit == units.end() ? units.front() : *unit)) +
           " -shared {objects} -o {out}";
}

}  // namespace

Result<Linker> Linker::make(LinkRecipe recipe, const std::vector<CompileCommand>& units) {
    if (recipe.command.empty()) {
        recipe.command = usual_command(units);
    }
    if (recipe.simulation.find(kOut) == std::string::npos) {
        return core::fail(ErrorCode::usage,
                          "--sim " + recipe.simulation + ": has no {out}, which is what is linked");
    }
    Linker linker(std::move(recipe));
    linker.split(units);
    const std::string option = "--link " + linker.recipe_.command;
    if (!linker.has(PieceKind::unit) && !linker.has(PieceKind::all_units)) {
        return core::fail(ErrorCode::usage,
                          option + ": has no {objects}, and names no object file of a unit");
    }
    if (!linker.has(PieceKind::output)) {
        return core::fail(ErrorCode::usage, option + ": has neither {out} nor -o");
    }
    linker.keep_linked(units);
    return linker;
}

// Words are kept as they are written, with the blanks before them.
void Linker::split(const std::vector<CompileCommand>& units) {
    const std::string& text = recipe_.command;
    bool is_output = false;
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t begin = std::min(text.find_first_not_of(kBlanks, at), text.size());
        const std::size_t end = std::min(text.find_first_of(kBlanks, begin), text.size());
        const std::string word = text.substr(begin, end - begin);
        pieces_.push_back({PieceKind::text, text.substr(at, begin - at)});
        pieces_.push_back(piece_of(word, is_output, units));
        is_output = word == "-o";
        at = end;
    }
}

Linker::Piece Linker::piece_of(const std::string& word, bool is_output,
                               const std::vector<CompileCommand>& units) const {
    if (word == kObjects) {
        return {PieceKind::all_units};
    }
    if (is_output || word == kOut) {
        return {PieceKind::output};
    }
    const std::string path = full_path(recipe_.folder, word);
    const auto unit = std::ranges::find(units, path, &CompileCommand::output);
    return unit == units.end()
               ? Piece{PieceKind::text, word}
               : Piece{PieceKind::unit, "", static_cast<std::size_t>(unit - units.begin())};
}

bool Linker::has(PieceKind kind) const {
    return std::ranges::find(pieces_, kind, &Piece::kind) != pieces_.end();
}

// Without {objects} only those that are named; their numbers are then those among them.
void Linker::keep_linked(const std::vector<CompileCommand>& units) {
    if (has(PieceKind::all_units)) {
        units_ = units;
        return;
    }
    for (Piece& piece : pieces_) {
        if (piece.kind == PieceKind::unit) {
            units_.push_back(units[std::exchange(piece.unit, units_.size())]);
        }
    }
}

std::string Linker::command_for(const std::vector<std::vector<std::string>>& objects,
                                const std::string& out) const {
    std::vector<bool> named(units_.size(), false);
    for (const Piece& piece : pieces_) {
        if (piece.kind == PieceKind::unit) {
            named[piece.unit] = true;
        }
    }
    std::string command;
    const auto add = [&](std::size_t unit) {
        for (const std::string& path : objects[unit]) {
            command += word_for_shell(path) + " ";
        }
    };
    for (const Piece& piece : pieces_) {
        switch (piece.kind) {
            case PieceKind::text:
                command += piece.text;
                break;
            case PieceKind::unit:
                add(piece.unit);
                break;
            case PieceKind::output:
                command += word_for_shell(out);
                break;
            case PieceKind::all_units:
                for (std::size_t unit = 0; unit < units_.size(); ++unit) {
                    if (!named[unit]) {
                        add(unit);
                    }
                }
                break;
        }
    }
    return command;
}

Result<Linked> Linker::link(const std::vector<std::vector<std::string>>& objects,
                            const std::string& folder, const ToolLimits& limits) const {
    ISOTICK_TRY(make_folder(folder));
    const std::string out = folder + "/simulation";
    Linked linked;
    linked.log = folder + "/log";
    const std::string command = command_for(objects, out);
    ISOTICK_TRY(write_file(folder + "/command", command + "\n"));
    ISOTICK_TRY_ASSIGN(auto end,
                       run_tool({"sh", "-c", command}, recipe_.folder, linked.log, limits));
    linked.failure = std::move(end.failure);
    if (linked.failure.empty() && !std::filesystem::exists(out)) {
        linked.failure = "left no file " + out;
    }
    const bool is_command = recipe_.simulation.starts_with("exec:");
    linked.simulation = recipe_.simulation;
    for (std::size_t at = 0; (at = linked.simulation.find(kOut)) != std::string::npos;) {
        linked.simulation.replace(at, kOut.size(), is_command ? word_for_shell(out) : out);
    }
    return linked;
}

}  // namespace isotick::harness::bisect
