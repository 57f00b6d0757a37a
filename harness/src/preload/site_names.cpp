#include "site_names.hpp"

#include "function_name.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <string_view>

#include <fmt/format.h>

namespace isotick::harness {
namespace {

constexpr std::size_t kMostNames = 4;

bool is_of_system(std::string_view file) {
    constexpr std::array<std::string_view, 5> kLibraries{"libc.so", "libstdc++.so", "libc++.so",
                                                         "ld-linux", "libpthread.so"};
    return std::ranges::any_of(
        kLibraries, [file](std::string_view library) { return file.starts_with(library); });
}

// Where the simulation ends and what calls it begins.
bool is_of_isotick(std::string_view full) {
    return full.starts_with("isotick::core::detail::") || full.starts_with("isotick::harness::") ||
           full.starts_with("isotick::core::Simulation::") || full.starts_with("cereal::");
}

}  // namespace

std::vector<std::string> names_of(const std::vector<CallSite>& sites) {
    std::vector<std::string> names;
    for (const CallSite& site : sites) {
        const std::string file = std::filesystem::path(site.file).filename().string();
        if (is_of_system(file)) {
            continue;
        }
        const std::vector<std::string> symbols = symbols_at(site.file, site.offset);
        if (symbols.empty()) {
            names.push_back(fmt::format("{}+{:#x}", file, site.offset));
        }
        for (const std::string& symbol : symbols) {
            const std::string full = full_name(symbol);
            if (is_of_isotick(full)) {
                return names;
            }
            if (!full.starts_with("std::")) {
                names.push_back(short_name(full));
            }
        }
        if (names.size() >= kMostNames) {
            names.resize(kMostNames);
            return names;
        }
    }
    return names;
}

}  // namespace isotick::harness
