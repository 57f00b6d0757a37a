#include "site_names.hpp"

#include "posix.hpp"
#include "preload.hpp"

#include <isotick/core/detail/text.hpp>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cxxabi.h>
#include <filesystem>
#include <memory>
#include <string_view>

#include <fmt/format.h>

namespace isotick::harness {
namespace {

// Without what stands in brackets of one kind, with anything in them.
std::string without(std::string_view text, char opening, char closing) {
    std::string kept;
    int depth = 0;
    for (const char letter : text) {
        depth += letter == opening ? 1 : 0;
        if (depth == 0) {
            kept += letter;
        }
        depth -= letter == closing && depth > 0 ? 1 : 0;
    }
    return kept;
}

void remove_all(std::string& text, std::string_view part) {
    for (std::size_t at = text.find(part); at != text.npos; at = text.find(part, at)) {
        text.erase(at, part.size());
    }
}

}  // namespace

std::string full_name(const std::string& symbol) {
    int status = 0;
    const std::unique_ptr<char, void (*)(void*)> demangled(
        abi::__cxa_demangle(symbol.c_str(), nullptr, nullptr, &status), &std::free);
    std::string name = status == 0 && demangled != nullptr ? demangled.get() : symbol;
    remove_all(name, "(anonymous namespace)::");
    name = without(without(name, '<', '>'), '(', ')');
    name = name.substr(0, name.find(" ["));  // `[clone .cold]`
    remove_all(name, " const");
    const std::size_t result = name.rfind(' ');  // of a template's instance
    return result == name.npos ? name : name.substr(result + 1);
}

std::string short_name(std::string_view full) {
    const std::size_t last = full.rfind("::");
    if (last == full.npos || last == 0) {
        return std::string(full);
    }
    const std::size_t before = full.rfind("::", last - 1);
    return std::string(before == full.npos ? full : full.substr(before + 2));
}

namespace {

constexpr std::size_t kMostNames = 4;
constexpr std::string_view kLambda = "lambda";

bool is_of_system(std::string_view file) {
    constexpr std::array<std::string_view, 6> kLibraries{"libc.so",  "libstdc++.so",  "libc++.so",
                                                         "ld-linux", "libpthread.so", "libm.so"};
    return std::ranges::any_of(
        kLibraries, [file](std::string_view library) { return file.starts_with(library); });
}

// Or of the library that answers in the place of the system (preload::library_file).
bool is_of_library(const CallSite& site) {
    const std::string file = std::filesystem::path(site.file).filename().string();
    return is_of_system(file) || file.starts_with("linux-vdso") || site.file.starts_with("/proc/");
}

// Where the simulation ends and what calls it begins. Little debug information has no namespaces.
bool is_of_isotick(const CodePlace& place, std::string_view full) {
    return place.file.find("/isotick/core/detail/") != std::string::npos ||
           place.file.ends_with("/isotick/core/adapter.hpp") ||
           full.starts_with("isotick::core::detail::") || full.starts_with("isotick::harness::") ||
           full.starts_with("isotick::core::Simulation::") ||
           full.starts_with("isotick::core::seam_call") || full.starts_with("cereal::");
}

// Little debug information has only `operator` of a lambda's name.
std::string name_in_report(std::string_view full) {
    return full == "operator" ? std::string(kLambda) : short_name(full);
}

bool is_of_standard_library(const CodePlace& place, std::string_view full) {
    return full.starts_with("std::") || place.file.find("/include/c++/") != std::string::npos;
}

}  // namespace

std::vector<CodePlace> code_of(const std::vector<CallSite>& sites, std::size_t most) {
    std::vector<CodePlace> code;
    bool is_rest = false;  // of a function whose beginning the compiler has put elsewhere
    for (const CallSite& site : sites) {
        if (!site.function.empty()) {
            code.push_back({site.function, site.file, site.offset});
            if (code.size() == most) {
                return code;
            }
            continue;
        }
        const std::string file = std::filesystem::path(site.file).filename().string();
        if (site.file.empty() || is_of_system(file)) {
            continue;
        }
        const std::vector<CodePlace> functions = functions_at(site.file, site.offset);
        if (functions.empty()) {
            code.push_back({fmt::format("{}+{:#x}", file, site.offset), {}});
            is_rest = false;
        }
        for (const CodePlace& one : functions) {
            const std::string full = full_name(one.function);
            if (is_of_isotick(one, full)) {
                while (!code.empty() && code.back().function == kLambda) {
                    code.pop_back();
                }
                return code;
            }
            if (is_of_standard_library(one, full) || full.ends_with("::_FUN")) {
                is_rest = false;
                continue;
            }
            CodePlace place{name_in_report(full), one.file, one.line};
            const bool is_beginning = is_rest && code.back().function == place.function;
            is_rest = one.function.find(".part.") != std::string::npos;
            if (!is_beginning) {
                code.push_back(std::move(place));
            }
        }
        if (code.size() >= most) {
            code.resize(most);
            return code;
        }
    }
    return code;
}

namespace {

// That of the preloaded library was open in the processes that loaded it, which are gone.
std::string readable_file(const CallSite& site) {
    if (!site.file.starts_with("/proc/") || !preload::is_available()) {
        return site.file;
    }
    static const auto library = preload::library_file();
    return library ? path_for_others(library->get()) : site.file;
}

}  // namespace

CalledCode called_code_of(std::vector<CallSite> sites, std::size_t most) {
    CalledCode found;
    while (!sites.empty() && is_of_library(sites.front())) {
        const std::vector<CodePlace> functions =
            functions_at(readable_file(sites.front()), sites.front().offset);
        if (!functions.empty()) {
            found.called = full_name(functions.back().function);
        }
        sites.erase(sites.begin());
    }
    found.code = code_of(sites, most);
    return found;
}

std::vector<std::string> names_of(const std::vector<CallSite>& sites) {
    std::vector<std::string> names;
    for (CodePlace& one : code_of(sites, kMostNames)) {
        names.push_back(std::move(one.function));
    }
    return names;
}

namespace {

std::string code_text(const CodePlace& one) {
    const std::string file = std::filesystem::path(one.file).filename().string();
    return file.empty() || one.line == 0 ? one.function
                                         : fmt::format("{} ({}:{})", one.function, file, one.line);
}

// Where a function is inlined, its name may lack the namespace.
bool is_same_call(const CodePlace& a, const CodePlace& b) {
    return a.file == b.file && a.line == b.line &&
           (a.function.ends_with(b.function) || b.function.ends_with(a.function));
}

}  // namespace

std::string code_text(std::span<const CodePlace> code) {
    std::vector<std::string> calls;
    while (!code.empty()) {
        const auto is_other = [&](const CodePlace& call) { return !is_same_call(call, code[0]); };
        const auto times = std::ranges::find_if(code, is_other) - code.begin();
        calls.push_back(code_text(code[0]) + (times > 1 ? fmt::format(", {} times", times) : ""));
        code = code.subspan(static_cast<std::size_t>(times));
    }
    return core::joined(calls, " ← ");
}

}  // namespace isotick::harness
