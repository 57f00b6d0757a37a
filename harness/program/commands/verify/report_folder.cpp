#include "report_folder.hpp"

#include "../../output/output_file.hpp"
#include "../../reporters/reporter.hpp"

#include <isotick/core/detail/text/printable.hpp>
#include <isotick/core/detail/try.hpp>

#include <cerrno>
#include <filesystem>
#include <regex>
#include <system_error>
#include <unistd.h>

namespace isotick::program {
namespace {

using core::Result;

Result<void> write_file(const std::string& path, std::string_view content) {
    ISOTICK_TRY_ASSIGN(auto file, OutputFile::create(path, true));
    ISOTICK_TRY(file.write(content));
    return file.complete();
}

std::string without_colours(std::string_view text) {
    static const std::regex colour("\x1b\\[[0-9;]*m");
    return std::regex_replace(std::string(text), colour, "");
}

// Whether files can be written to `folder`, if need be after it has been made.
std::error_code why_not_written_to(std::filesystem::path folder) {
    std::error_code error;
    while (!std::filesystem::exists(folder, error)) {
        folder = folder.has_parent_path() ? folder.parent_path() : std::filesystem::path(".");
    }
    if (!std::filesystem::is_directory(folder, error)) {
        return std::make_error_code(std::errc::not_a_directory);
    }
    return access(folder.c_str(), W_OK | X_OK) == 0
               ? std::error_code()
               : std::error_code(errno, std::generic_category());
}

Result<void> no_folder(const std::string& folder, const std::error_code& why) {
    return tl::unexpected<core::Error>(
        {core::ErrorCode::io, "--report: no folder to write to: " + why.message(), folder, {}, {}});
}

}  // namespace

std::vector<std::string> report_files(const std::string& folder) {
    std::vector<std::string> files;
    for (const Reporter* reporter : reporters()) {
        files.push_back(folder + "/" + reporter->file);
    }
    return files;
}

Result<void> prepare_report_folder(const std::string& folder) {
    std::error_code error = why_not_written_to(folder);
    for (const std::string& file : report_files(folder)) {
        if (!error && std::filesystem::exists(folder)) {
            std::filesystem::remove(file, error);
        }
    }
    return error ? no_folder(folder, error) : Result<void>();
}

Result<void> write_report(const std::string& folder, const std::vector<ReportFile>& files) {
    std::error_code error;
    std::filesystem::create_directories(folder, error);
    if (error) {
        return no_folder(folder, error);
    }
    for (const ReportFile& file : files) {
        ISOTICK_TRY(write_file(folder + "/" + file.name,
                               core::printable_lines(without_colours(file.content))));
    }
    return {};
}

}  // namespace isotick::program
