#include "work_option.hpp"

#include <isotick/core/detail/try.hpp>
#include <isotick/core/hash.hpp>

#include <cstdlib>
#include <filesystem>
#include <span>
#include <system_error>

namespace isotick::program {
namespace {

namespace fs = std::filesystem;
using core::ErrorCode;
using core::Result;

// Where caches are kept (XDG Base Directory Specification); none where nothing says that.
Result<fs::path> cache_folder() {
    const auto folder_of = [](const char* variable) {
        const char* value = std::getenv(variable);
        return fs::path(value == nullptr ? "" : value);
    };
    const fs::path cache = folder_of("XDG_CACHE_HOME");
    if (cache.is_absolute()) {
        return cache;
    }
    const fs::path home = folder_of("HOME");
    return home.is_absolute() ? Result<fs::path>(home / ".cache")
                              : core::fail(ErrorCode::usage,
                                           "there is no HOME to keep builds in; name a folder "
                                           "with --work");
}

// One folder for each place.
Result<fs::path> work_folder(const std::string& given, const std::string& place) {
    if (!given.empty()) {
        return given;
    }
    std::error_code ignored;
    const std::string full = fs::weakly_canonical(place, ignored).string();
    return cache_folder().map([&](const fs::path& cache) {
        return cache / "isotick" / "bisect" /
               core::to_hex(core::hash_bytes(std::as_bytes(std::span(full))));
    });
}

}  // namespace

Result<std::string> make_work_folder(const std::string& given, const std::string& place) {
    ISOTICK_TRY_ASSIGN(const auto folder, work_folder(given, place));
    std::error_code error;
    fs::create_directories(folder, error);
    if (error) {
        return core::fail(ErrorCode::io, "--work " + folder.string() + ": " + error.message());
    }
    return fs::canonical(folder, error).string();
}

}  // namespace isotick::program
