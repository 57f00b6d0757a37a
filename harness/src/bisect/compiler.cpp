#include "compiler.hpp"

#include "../system/process.hpp"
#include "../system/shell_words.hpp"
#include "compile_commands.hpp"
#include "tool.hpp"

#include <isotick/core/detail/try.hpp>

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string_view>
#include <unistd.h>
#include <utility>

namespace isotick::harness::bisect {

using core::Result;

std::vector<std::string> files_of_rule(const std::string& rule, const std::string& folder) {
    std::vector<std::string> files;
    std::string file;
    const auto end_file = [&] {
        if (!file.empty()) {
            files.push_back(full_path(folder, std::exchange(file, {})));
        }
    };
    for (std::size_t i = std::min(rule.find(": "), rule.size()) + 1; i < rule.size(); ++i) {
        const bool has_next = i + 1 < rule.size();
        if (rule[i] == '\\' && has_next && (rule[i + 1] == ' ' || rule[i + 1] == '#')) {
            file += rule[++i];
        } else if (rule[i] == '\\' && has_next && rule[i + 1] == '\n') {
            ++i;
            end_file();
        } else if (rule[i] == '$' && has_next && rule[i + 1] == '$') {
            file += rule[++i];
        } else if (rule[i] == ' ' || rule[i] == '\n') {
            end_file();
        } else {
            file += rule[i];
        }
    }
    end_file();
    return files;
}

std::string program_path(const std::string& word, const std::string& folder) {
    if (word.find('/') != std::string::npos) {
        return full_path(folder, word);
    }
    constexpr std::string_view kName = "PATH=";
    for (const std::string& variable : own_environment()) {
        if (!variable.starts_with(kName)) {
            continue;
        }
        std::istringstream folders(variable.substr(kName.size()));
        for (std::string each; std::getline(folders, each, ':');) {
            const std::string path = full_path(folder, each + "/" + word);
            if (access(path.c_str(), X_OK) == 0) {
                return path;
            }
        }
    }
    return "";
}

Result<void> keep_needed_files(const std::string& list, const std::vector<std::string>& files) {
    std::string text;
    for (const std::string& file : files) {
        ISOTICK_TRY_ASSIGN(const auto content, content_of_file(file));
        text += digest_of({content}) + " " + file + "\n";
    }
    return write_file(list, text);
}

bool are_as_kept(const std::string& list) {
    std::ifstream kept(list, std::ios::binary);
    std::string digest;
    std::string file;
    std::size_t files = 0;
    while (std::getline(kept, digest, ' ') && std::getline(kept, file)) {
        const auto content = content_of_file(file);
        if (!content || digest_of({*content}) != digest) {
            return false;
        }
        ++files;
    }
    return files > 0;
}

namespace {

namespace fs = std::filesystem;
using core::ErrorCode;
using core::Result;
using Words = std::vector<std::string>;

// Which word of a command names the compiler.
std::size_t compiler_at(const Words& words) {
    constexpr std::array<std::string_view, 4> kLaunchers{"ccache", "distcc", "icecc", "sccache"};
    std::size_t at = 0;
    while (at + 1 < words.size() &&
           std::ranges::find(kLaunchers, fs::path(words[at]).filename().string()) !=
               kLaunchers.end()) {
        ++at;
    }
    return at;
}

// Options that write other files, or name the object file; those in `kWithValue` take the next
// word.
bool writes(const std::string& word) {
    constexpr std::array<std::string_view, 5> kAlone{"-MD", "-MMD", "-MP", "-M", "-MM"};
    return std::ranges::find(kAlone, word) != kAlone.end() ||
           (word.starts_with("-o") && word.size() > 2) || word.starts_with("-save-temps");
}
bool writes_next(const std::string& word) {
    constexpr std::array<std::string_view, 5> kWithValue{"-o", "-MF", "-MT", "-MQ", "-MJ"};
    return std::ranges::find(kWithValue, word) != kWithValue.end();
}

// The compiler and its arguments, without what it writes; launchers, which may have a cache of
// their own, stay.
Words compiler_words(const CompileCommand& unit, const Way& way) {
    const std::size_t compiler = compiler_at(unit.words);
    Words words;
    for (std::size_t i = 0; i < unit.words.size(); ++i) {
        if (i > compiler && writes_next(unit.words[i])) {
            ++i;
        } else if (i == compiler && !way.compiler.empty()) {
            words.push_back(way.compiler);
        } else if (i <= compiler || !writes(unit.words[i])) {
            words.push_back(unit.words[i]);
        }
    }
    words.insert(words.end(), way.flags.begin(), way.flags.end());
    words.emplace_back("-g0");  // so that objects differ in their code alone
    return words;
}

Words with(Words words, const Words& more) {
    words.insert(words.end(), more.begin(), more.end());
    return words;
}

}  // namespace

Result<Way> Way::parse(std::string_view text) {
    auto words = shell_words(text);
    if (!words || words->empty()) {
        return core::fail(ErrorCode::usage, "--with " + std::string(text) +
                                                (words ? ": names neither flags nor a compiler"
                                                       : ": a quote does not end"));
    }
    Way way;
    if (!words->front().starts_with('-')) {
        way.compiler = words->front();
        words->erase(words->begin());
    }
    way.flags = *std::move(words);
    return way;
}

Way Way::with(const Words& more) const {
    return {compiler, bisect::with(flags, more)};
}

const std::string& compiler_of(const CompileCommand& unit) {
    return unit.words[compiler_at(unit.words)];
}

Result<Object> Compiler::compile(const CompileCommand& unit, const Way& way) const {
    const Words words = compiler_words(unit, way);
    const std::string folder =
        work_ + "/objects/" + digest_of(with({unit.folder, unit.output}, words));
    const std::string kept = folder + "/files";
    Object object{folder + "/object.o", folder + "/log"};
    object.from_cache = are_as_kept(kept);
    if (!object.from_cache) {
        const std::string rule = folder + "/rule";
        std::error_code ignored;
        fs::remove_all(folder, ignored);
        ISOTICK_TRY(make_folder(folder));
        ISOTICK_TRY_ASSIGN(auto end, run_tool(with(words, {"-MD", "-MF", rule, "-o", object.path}),
                                              unit.folder, object.log, limits_));
        object.failure = std::move(end.failure);
        if (!object.failure.empty()) {
            return object;
        }
        if (const auto written = content_of_file(rule)) {
            Words files = files_of_rule(*written, unit.folder);
            files.push_back(
                program_path(way.compiler.empty() ? compiler_of(unit) : way.compiler, unit.folder));
            ISOTICK_TRY(keep_needed_files(kept, files));
        }
    }
    ISOTICK_TRY_ASSIGN(const auto content, content_of_file(object.path));
    object.digest = digest_of({content});
    return object;
}

Result<bool> Compiler::takes(const CompileCommand& unit, const Way& way,
                             const std::string& flag) const {
    const Words words{way.compiler.empty() ? compiler_of(unit) : way.compiler,
                      "-Werror",
                      flag,
                      "-x",
                      "c",
                      "-fsyntax-only",
                      "/dev/null"};
    return run_tool(words, unit.folder, work_ + "/flag.log", limits_).map([](const ToolEnd& end) {
        return end.failure.empty();
    });
}

}  // namespace isotick::harness::bisect
