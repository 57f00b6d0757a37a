#include "output_folder.hpp"

#include "output_file.hpp"

#include <isotick/core/detail/try.hpp>
#include <isotick/replay/detail/signals_wait.hpp>

#include <filesystem>
#include <system_error>
#include <utility>

namespace isotick::program {
namespace {

namespace fs = std::filesystem;
using core::Result;

// It, or the innermost of those that it would be in.
fs::path existing(fs::path folder) {
    std::error_code ignored;
    while (!fs::exists(folder, ignored)) {
        folder = folder.has_parent_path() ? folder.parent_path() : fs::path(".");
    }
    return folder;
}

std::error_code move_all(const fs::path& from, const fs::path& to,
                         const std::vector<std::string>& names) {
    std::error_code error;
    for (const std::string& name : names) {
        if (fs::exists(from / name, error)) {
            fs::rename(from / name, to / name, error);
        } else {
            fs::remove(to / name, error);
        }
        if (error) {
            break;
        }
    }
    return error;
}

}  // namespace

Result<OutputFolder> OutputFolder::create(const char* option, std::string folder,
                                          std::vector<std::string> names) {
    constexpr std::uint32_t kLikeAnyFolder = 0777;
    auto partial = harness::TemporaryFolder::make(existing(folder).string(), "isotick-partial-",
                                                  kLikeAnyFolder);
    if (!partial) {
        return tl::unexpected<core::Error>(
            {core::ErrorCode::io,
             std::string(option) + ": no folder to write to: " + partial.error().message,
             folder,
             {},
             {}});
    }
    return OutputFolder(std::move(folder), std::move(names), *std::move(partial));
}

Result<void> OutputFolder::write(const std::string& name, std::string_view content) const {
    ISOTICK_TRY_ASSIGN(auto file, OutputFile::create(place(name), false));
    ISOTICK_TRY(file.write(content));
    return file.complete();
}

Result<void> OutputFolder::complete() {
    const fs::path folder =
        fs::path(folder_).has_filename() ? fs::path(folder_) : fs::path(folder_).parent_path();
    const replay::SignalsWait all_or_nothing;
    std::error_code error;
    if (fs::exists(folder, error)) {
        error = move_all(place(), folder, names_);
    } else {
        if (folder.has_parent_path()) {
            fs::create_directories(folder.parent_path(), error);
        }
        fs::rename(place(), folder, error);
        if (!error) {
            partial_.keep();
        }
    }
    return error
               ? Result<void>(tl::unexpected<core::Error>({core::ErrorCode::io,
                                                           "cannot be written: " + error.message(),
                                                           folder_,
                                                           {},
                                                           {}}))
               : Result<void>();
}

}  // namespace isotick::program
