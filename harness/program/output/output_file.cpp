#include "output_file.hpp"

#include <isotick/core/detail/try.hpp>
#include <isotick/harness/detail/simulation_catalog.hpp>
#include <isotick/replay/detail/new_file.hpp>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <span>
#include <system_error>
#include <utility>

namespace isotick::program {
namespace {

using core::ErrorCode;
using core::Result;

Result<void> stdout_failed() {
    return tl::unexpected<core::Error>({ErrorCode::io,
                                        std::string("cannot be written: ") + std::strerror(errno),
                                        "stdout",
                                        {},
                                        {}});
}

}  // namespace

std::vector<std::string> files_read(const CommonOptions& options, const core::Schedule& schedule,
                                    const std::string& other_build) {
    std::vector<std::string> files;
    for (const std::string& simulation : {options.simulation, other_build}) {
        if (harness::SimulationCatalog::is_library_path(simulation)) {
            files.push_back(simulation);
        }
    }
    if (!core::Schedule::parse(options.schedule)) {  // else it is no file's name
        files.push_back(options.schedule);
    }
    for (const core::ScheduleItem& item : schedule.items()) {
        if (item.capture.capture) {
            files.push_back(item.capture.capture->path);
        }
    }
    return files;
}

Result<void> check_is_not_read(const std::string& path, const std::vector<std::string>& read) {
    const bool is_read = std::ranges::any_of(
        read, [&path](const std::string& file) { return replay::is_same_file(path, file); });
    return is_read ? core::fail(ErrorCode::usage, path +
                                                      " is read by this command, which would "
                                                      "replace it; name another output")
                   : Result<void>();
}

Result<void> check_output(const std::string& path, bool force,
                          const std::vector<std::string>& read) {
    std::error_code error;
    if (path.empty()) {
        return core::fail(ErrorCode::usage, "--output: the name of a file is missing");
    }
    if (std::filesystem::is_directory(path, error)) {
        return core::fail(ErrorCode::usage, path + " is a directory");
    }
    ISOTICK_TRY(check_is_not_read(path, read));
    if (!force && std::filesystem::exists(path, error)) {
        return core::fail(ErrorCode::usage,
                          path + " exists; nothing was written (--force replaces it)");
    }
    return {};
}

void remark_unfinished(const std::string& path, Console& console) {
    for (const std::string& beside : replay::unfinished_beside(path)) {
        console.remark(beside + " is a recording that was to replace " + path +
                       " and was not finished");
    }
}

Result<OutputFile> OutputFile::create(const std::string& path, bool replace) {
    if (path == "-") {
        return OutputFile(std::nullopt);
    }
    return replay::NewFile::create(path, replace).map([](replay::NewFile&& file) {
        return OutputFile(std::move(file));
    });
}

Result<void> OutputFile::write(std::string_view text) {
    if (file_) {
        return file_->write(std::as_bytes(std::span(text)));
    }
    const bool written = std::fwrite(text.data(), 1, text.size(), stdout) == text.size();
    return written ? Result<void>() : stdout_failed();
}

Result<void> OutputFile::complete() {
    if (file_) {
        return file_->complete();
    }
    return std::fflush(stdout) == 0 ? Result<void>() : stdout_failed();
}

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
