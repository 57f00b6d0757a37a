#include "output_file.hpp"

#include <isotick/core/detail/try.hpp>
#include <isotick/harness/detail/simulations/simulation_catalog.hpp>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <span>
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
    for (const std::filesystem::path& beside : replay::unfinished_beside(path)) {
        console.remark(beside.string() + " is a recording that was to replace " + path +
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

}  // namespace isotick::program
