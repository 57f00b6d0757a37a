#include "dependencies.hpp"

#include "../system/preload.hpp"

#include <isotick/core/detail/try.hpp>

#include <algorithm>
#include <string_view>
#include <utility>

namespace isotick::harness {

using core::ErrorCode;
using core::Result;

namespace {

// One without a name, of the process that runs trials: see path_for_others.
bool is_own_file(std::string_view path) {
    constexpr std::string_view kProcesses = "/proc/";
    const auto rest = path.substr(std::min(path.size(), kProcesses.size()));
    const auto digits = std::min(rest.find_first_not_of("0123456789"), rest.size());
    return path.starts_with(kProcesses) && digits > 0 && rest.substr(digits).starts_with("/fd/");
}

// The simulation can write there too: anything may be in it.
std::vector<Dependency> dependencies_in(std::string_view notes) {
    std::vector<Dependency> found;
    while (!notes.empty()) {
        const std::string_view note = notes.substr(0, notes.find('\0'));
        notes.remove_prefix(std::min(note.size() + 1, notes.size()));
        if (!note.empty() && !is_own_file(note.substr(1))) {
            found.push_back({note[0] == 'v' ? Dependency::Kind::variable : Dependency::Kind::file,
                             std::string(note.substr(1))});
        }
    }
    std::ranges::sort(found);
    const auto twice = std::ranges::unique(found);
    found.erase(twice.begin(), twice.end());
    return found;
}

}  // namespace

Result<DependencyLog> DependencyLog::make() {
    if (!preload::is_available()) {
        return core::fail(ErrorCode::io, "cannot see what a simulation reads on this machine");
    }
    return SharedFile::make().map([](SharedFile&& file) { return DependencyLog(std::move(file)); });
}

Result<std::vector<Dependency>> DependencyLog::read() const {
    ISOTICK_TRY_ASSIGN(const auto file, file_.read());
    const auto bytes = file.bytes();
    return dependencies_in({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
}

}  // namespace isotick::harness
