#include "function_name.hpp"

#include <cstdlib>
#include <cxxabi.h>
#include <memory>

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

}  // namespace isotick::harness
