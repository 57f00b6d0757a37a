#include "symbols.hpp"

#include <isotick/core/detail/try.hpp>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cxxabi.h>
#include <map>
#include <memory>
#include <set>
#include <sstream>
#include <string_view>

namespace isotick::harness::bisect {
namespace {

using core::ErrorCode;
using core::Result;

/// A line of objdump's table.
struct Line {
    std::string_view flags;  ///< seven columns
    std::string_view section;
    std::string_view name;
};

constexpr std::size_t kFlags = 7;

// `0000000000000000 g     F .text	0000000000000006 .hidden name`
bool read_line(std::string_view text, Line& line) {
    const std::size_t blank = text.find(' ');
    const std::size_t tab = text.find('\t');
    if (tab == std::string_view::npos || tab < blank + kFlags + 2) {
        return false;
    }
    line.flags = text.substr(blank + 1, kFlags);
    line.section = text.substr(blank + kFlags + 2, tab - blank - kFlags - 2);
    const std::size_t name = text.find_last_of(' ');
    line.name = name < tab ? "" : text.substr(name + 1);
    return !line.name.empty() && line.section != "*UND*";
}

bool can_change(std::string_view section) {
    constexpr std::array<std::string_view, 4> kWritable{".data", ".bss", ".tdata", ".tbss"};
    return !section.starts_with(".data.rel.ro") &&
           std::ranges::any_of(kWritable, [section](std::string_view kind) {
               return section == kind || section.starts_with(std::string(kind) + ".");
           });
}

/// What stands in a section, and which sections it refers to.
struct Content {
    std::set<std::string> own_functions{};  ///< static ones
    bool is_exported = false;               ///< another object file may define it
    std::set<std::string> refers_to{};      ///< symbols and sections
};

/// Who calls or points to whom.
class References {
  public:
    void add(const Line& line) {
        const std::string section(line.section);
        const std::string name(line.name);
        if (line.flags[0] == 'l') {
            place_of_own_[name] = section;
        } else {
            sections_[section].is_exported = true;
            place_[name] = section;
        }
        if (line.flags[0] == 'l' && line.flags[6] == 'F') {
            // GCC's `name.isra.0` and `name.cold` are parts or copies of a function.
            sections_[section].own_functions.insert(name.substr(0, name.find('.')));
        }
    }

    // `0000000000000007 R_X86_64_PC32     .text.name-0x0000000000000004`
    void add_relocation(const std::string& section, std::string_view text) {
        std::string_view target = text.substr(text.find_last_of(' ') + 1);
        target = target.substr(0, std::min(target.rfind("+0x"), target.rfind("-0x")));
        sections_[section].refers_to.emplace(target);
    }

    [[nodiscard]] std::vector<std::string> reached_from(const std::string& function) const {
        std::set<std::string> found;
        std::set<std::string> seen;
        std::vector<std::string> ahead{place_.at(function)};
        while (!ahead.empty()) {
            const std::string section = ahead.back();
            ahead.pop_back();
            const auto content = sections_.find(section);
            const bool is_start = section == place_.at(function);
            if (!seen.insert(section).second || content == sections_.end() ||
                (content->second.is_exported && !is_start)) {
                continue;
            }
            found.insert(content->second.own_functions.begin(),
                         content->second.own_functions.end());
            for (const std::string& target : content->second.refers_to) {
                const auto own = place_of_own_.find(target);
                ahead.push_back(own == place_of_own_.end() ? target : own->second);
            }
        }
        found.erase(function);
        return {found.begin(), found.end()};
    }

  private:
    std::map<std::string, Content> sections_;
    std::map<std::string, std::string> place_;         // of symbols that others see: a section
    std::map<std::string, std::string> place_of_own_;  // of static ones
};

void add(const Line& line, Symbols& symbols) {
    // The C++ library's own: one in each unit, and it does not matter which.
    constexpr std::string_view kStreams = "_ZStL8__ioinit";
    const bool is_function = line.flags[6] == 'F';
    const std::string name(line.name);
    if (line.flags[0] == 'l') {
        if (line.flags[6] == 'O' && can_change(line.section) && name != kStreams) {
            symbols.own_variables.push_back(name);
        }
    } else if (is_function && line.flags[1] == 'w') {
        symbols.weak_functions.push_back(name);
    } else if (is_function) {
        symbols.functions.push_back(name);
    } else if (line.flags[1] != 'w') {
        symbols.variables.push_back(name);
    }
}

}  // namespace

Symbols parse_symbols(const std::string& table) {
    constexpr std::string_view kRelocations = "RELOCATION RECORDS FOR [";
    Symbols symbols;
    References references;
    std::istringstream lines(table);
    std::string section;  // whose relocations are listed
    Line line;
    for (std::string text; std::getline(lines, text);) {
        if (text.starts_with(kRelocations)) {
            section = text.substr(kRelocations.size(), text.find(']') - kRelocations.size());
        } else if (!section.empty()) {
            references.add_relocation(section, text);
        } else if (read_line(text, line)) {
            add(line, symbols);
            references.add(line);
        }
    }
    for (const std::string& function : symbols.functions) {
        symbols.reached[function] = references.reached_from(function);
    }
    for (auto* list : {&symbols.functions, &symbols.weak_functions, &symbols.variables,
                       &symbols.own_variables}) {
        std::ranges::sort(*list);
    }
    return symbols;
}

Result<Symbols> symbols_of(const std::string& object, const std::string& log,
                           const ToolLimits& limits) {
    ISOTICK_TRY_ASSIGN(const auto end, run_tool({"objdump", "-t", "-r", object}, "", log, limits));
    if (!end.failure.empty()) {
        return core::fail(ErrorCode::usage, "objdump " + end.failure + " (log: " + log + ")");
    }
    return content_of_file(log).map(parse_symbols);
}

Result<void> write_copy(const YieldingCopy& copy, const ToolLimits& limits) {
    const std::string names = copy.copy + ".weak";
    const std::string log = copy.copy + ".log";
    std::vector<std::string> words{"objcopy"};
    if (!copy.weak.empty()) {  // objcopy refuses an empty list
        std::string text;
        for (const std::string& name : copy.weak) {
            text += name + "\n";
        }
        ISOTICK_TRY(write_file(names, text));
        words.push_back("--weaken-symbols=" + names);
    }
    if (copy.without_constructors) {
        words.insert(words.end(), {"--remove-section=.init_array*", "--remove-section=.fini_array*",
                                   "--remove-section=.ctors*", "--remove-section=.dtors*"});
    }
    words.insert(words.end(), {copy.object, copy.copy});
    ISOTICK_TRY_ASSIGN(const auto end, run_tool(words, "", log, limits));
    return end.failure.empty()
               ? Result<void>()
               : core::fail(ErrorCode::usage, "objcopy " + end.failure + " (log: " + log + ")");
}

std::string readable_name(const std::string& symbol) {
    int status = 0;
    const std::unique_ptr<char, decltype(&std::free)> name(
        abi::__cxa_demangle(symbol.c_str(), nullptr, nullptr, &status), &std::free);
    return status == 0 ? name.get() : symbol;
}

}  // namespace isotick::harness::bisect
