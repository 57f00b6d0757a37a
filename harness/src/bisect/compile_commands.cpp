#include "compile_commands.hpp"

#include "../system/shell_words.hpp"

#include <isotick/core/detail/json.hpp>
#include <isotick/core/detail/try.hpp>

#include <cstddef>
#include <filesystem>
#include <fnmatch.h>
#include <fstream>
#include <iterator>
#include <set>
#include <utility>

namespace isotick::harness::bisect {
namespace {

namespace fs = std::filesystem;
using core::ErrorCode;
using core::JsonValue;
using core::Result;

tl::unexpected<core::Error> bad(const std::string& path, const std::string& why) {
    return tl::unexpected<core::Error>({ErrorCode::usage, why, path, {}, {}});
}

std::string text_of(const JsonValue& value) {
    return value.kind == JsonValue::Kind::string ? value.text : "";
}

std::string text_of(const JsonValue& unit, const char* key) {
    const JsonValue* const member = unit.find(key);
    return member != nullptr ? text_of(*member) : "";
}

// Empty where there are none.
std::vector<std::string> words_of(const JsonValue& unit) {
    std::vector<std::string> words;
    const JsonValue* const arguments = unit.find("arguments");
    if (arguments != nullptr && arguments->kind == JsonValue::Kind::array) {
        for (const core::JsonMember& word : arguments->members) {
            words.push_back(text_of(word.value));
        }
        return words;
    }
    return shell_words(text_of(unit, "command")).value_or(words);
}

// As the entry says, else as its command says, else what a compiler would choose.
std::string output_of(const JsonValue& unit, const CompileCommand& command) {
    const std::string said = text_of(unit, "output");
    if (!said.empty()) {
        return said;
    }
    for (std::size_t i = 0; i + 1 < command.words.size(); ++i) {
        if (command.words[i] == "-o") {
            return command.words[i + 1];
        }
    }
    return fs::path(command.file).stem().string() + ".o";
}

Result<CompileCommand> command_of(const JsonValue& unit, const std::string& path,
                                  std::size_t number) {
    const std::string where = "entry " + std::to_string(number) + ": ";
    if (unit.kind != JsonValue::Kind::object) {
        return bad(path, where + "is no object");
    }
    CompileCommand command;
    command.file = text_of(unit, "file");
    command.words = words_of(unit);
    if (command.file.empty() || command.words.empty()) {
        return bad(path, where + "has no file, or neither arguments nor a command");
    }
    const std::string beside = fs::absolute(path).parent_path().string();
    command.folder = full_path(beside, text_of(unit, "directory"));
    command.output = full_path(command.folder, output_of(unit, command));
    return command;
}

bool fits(const CompileCommand& unit, const std::string& pattern) {
    return fnmatch(pattern.c_str(), unit.file.c_str(), 0) == 0 ||
           fnmatch(pattern.c_str(), unit.output.c_str(), 0) == 0;
}

}  // namespace

std::string full_path(const std::string& folder, const std::string& path) {
    fs::path full = (fs::path(folder) / path).lexically_normal();
    return (full.has_filename() ? full : full.parent_path()).string();
}

Result<std::vector<CompileCommand>> read_compile_commands(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    if (!file) {
        return bad(path, "cannot be read");
    }
    const std::string text(std::istreambuf_iterator<char>(file), {});
    constexpr core::JsonLimits kLimits{.values = 1U << 26U};
    const Result<JsonValue> json = core::parse_json(text, kLimits);
    if (!json || json->kind != JsonValue::Kind::array || json->members.empty()) {
        return bad(path, "is no compilation database: a JSON array of compile commands");
    }
    std::vector<CompileCommand> units;
    std::set<std::string> outputs;
    for (std::size_t i = 0; i < json->members.size(); ++i) {
        ISOTICK_TRY_ASSIGN(auto unit, command_of(json->members[i].value, path, i));
        if (outputs.insert(unit.output).second) {
            units.push_back(std::move(unit));
        }
    }
    return units;
}

Result<std::vector<CompileCommand>> chosen_units(std::vector<CompileCommand> units,
                                                 const std::vector<std::string>& patterns) {
    if (patterns.empty()) {
        return units;
    }
    std::vector<bool> chosen(units.size(), false);
    for (const std::string& pattern : patterns) {
        bool any = false;
        for (std::size_t i = 0; i < units.size(); ++i) {
            const bool one = fits(units[i], pattern);
            chosen[i] = chosen[i] || one;
            any = any || one;
        }
        if (!any) {
            return core::fail(ErrorCode::usage,
                              "--units " + pattern + ": fits no source and no object file");
        }
    }
    std::vector<CompileCommand> some;
    for (std::size_t i = 0; i < units.size(); ++i) {
        if (chosen[i]) {
            some.push_back(std::move(units[i]));
        }
    }
    return some;
}

}  // namespace isotick::harness::bisect
