#include "tool.hpp"

#include "../system/command.hpp"

#include <isotick/core/detail/try.hpp>
#include <isotick/core/hash.hpp>

#include <algorithm>
#include <array>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <span>
#include <string_view>
#include <system_error>

namespace isotick::harness::bisect {
namespace {

using core::ErrorCode;
using core::Result;

// What compilers, linkers, make, CMake, Python and shells write of errors. A `-Werror` in a command
// that make prints is none.
constexpr std::array<std::string_view, 14> kErrors{
    "error:",       "Error:",           "error[",
    "error C",      "fatal:",           "CMake Error",
    "*** [",        "*** No",           "undefined reference",
    "cannot find",  ": not found",      "command not found",
    "No such file", "Permission denied"};

bool looks_like_error(std::string_view line) {
    return std::ranges::any_of(kErrors, [line](std::string_view error) {
        return line.find(error) != std::string_view::npos;
    });
}

std::string describe(const CommandResult& done, const std::string& log, const ToolLimits& limits) {
    switch (done.end) {
        case CommandEnd::timed_out:
            return "took longer than " + std::to_string(limits.timeout_ms / 1000) + " s";
        case CommandEnd::printed_too_much:
            return "printed more than " + std::to_string(limits.most_output >> 20) + " MiB";
        case CommandEnd::stopped:
        case CommandEnd::ended:
            break;
    }
    if (done.process.well()) {
        return "";
    }
    std::ifstream file(log, std::ios::binary);
    const std::string error = first_error(file);
    return describe_end(done.process) + (error.empty() ? "" : ": " + error);
}

}  // namespace

std::string first_error(std::istream& log) {
    constexpr std::string_view kBlanks = " \t\r";
    constexpr std::size_t kMostShown = 200;
    std::string found;
    bool is_error = false;
    for (std::string line; !is_error && std::getline(log, line);) {
        const std::size_t begin = line.find_first_not_of(kBlanks);
        if (begin != std::string::npos) {
            found = line.substr(begin, line.find_last_not_of(kBlanks) - begin + 1);
            is_error = looks_like_error(found);
        }
    }
    if (found.size() <= kMostShown) {
        return found;
    }
    std::size_t end = kMostShown;  // before a whole character of UTF-8
    while (end > 0 && (static_cast<unsigned char>(found[end]) & 0xc0U) == 0x80U) {
        --end;
    }
    return found.substr(0, end) + "…";
}

Result<ToolEnd> run_tool(const std::vector<std::string>& words, const std::string& folder,
                         const std::string& log, const ToolLimits& limits) {
    const FileDescriptor output(
        ::open(log.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC, 0666));
    if (output.get() < 0) {
        return system_failure(log + " cannot be written");
    }
    Command command;
    command.words = words;
    command.environment = environment_without("GIT_");
    command.folder = folder;
    command.output = command.errors = output.get();
    command.timeout_ms = limits.timeout_ms;
    command.most_output = limits.most_output;
    command.memory_limit = limits.memory_limit;
    command.stop = limits.stop;
    ISOTICK_TRY_ASSIGN(const auto done, run_command(command));
    if (done.end == CommandEnd::stopped) {
        return interrupted();
    }
    return ToolEnd{describe(done, log, limits), done.process.exit_code};
}

Result<std::string> content_of_file(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    std::string content;
    for (std::array<char, 32768> block{}; file;) {
        file.read(block.data(), block.size());
        content.append(block.data(), static_cast<std::size_t>(file.gcount()));
    }
    return file.eof() ? Result<std::string>(std::move(content))
                      : core::fail(ErrorCode::io, path + ": cannot be read");
}

Result<void> write_file(const std::string& path, const std::string& content) {
    std::ofstream file(path, std::ios::binary | std::ios::trunc);
    file << content;
    file.close();
    return file ? Result<void>() : core::fail(ErrorCode::io, path + ": cannot be written");
}

std::string digest_of(const std::vector<std::string>& texts) {
    core::StreamDigester digester;
    for (const std::string& text : texts) {
        digester.update(text.size());
        digester.update(std::as_bytes(std::span(text)));
    }
    return to_string(digester.value());
}

Result<void> make_folder(const std::string& folder) {
    std::error_code error;
    std::filesystem::create_directories(folder, error);
    return error ? core::fail(ErrorCode::io, folder + ": " + error.message()) : Result<void>();
}

}  // namespace isotick::harness::bisect
