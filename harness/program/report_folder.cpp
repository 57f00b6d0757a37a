#include "report_folder.hpp"

#include "output_file.hpp"

#include <filesystem>
#include <regex>
#include <system_error>

namespace isotick::program {
namespace {

using core::Result;

constexpr const char* kText = "/report.txt";
constexpr const char* kJson = "/report.json";

Result<void> write_file(const std::string& path, std::string_view content) {
    auto file = OutputFile::create(path, true);
    return file ? file->write(content).and_then([&file] { return file->complete(); })
                : tl::unexpected(file.error());
}

std::string without_colours(std::string_view text) {
    static const std::regex colour("\x1b\\[[0-9;]*m");
    return std::regex_replace(std::string(text), colour, "");
}

}  // namespace

Result<void> prepare_report_folder(const std::string& folder) {
    std::error_code error;
    std::filesystem::create_directories(folder, error);
    for (const char* name : {kText, kJson}) {
        if (!error) {
            std::filesystem::remove(folder + name, error);
        }
    }
    if (error) {
        return tl::unexpected<core::Error>({core::ErrorCode::io,
                                            "--report: no folder to write to: " + error.message(),
                                            folder,
                                            {},
                                            {}});
    }
    return {};
}

Result<void> write_report(const std::string& folder, std::string_view text, std::string_view json) {
    return write_file(folder + kText, without_colours(text)).and_then([&] {
        return write_file(folder + kJson, json);
    });
}

}  // namespace isotick::program
