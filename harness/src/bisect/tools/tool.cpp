#include "tool.hpp"

#include "../../platform/processes/command.hpp"

#include <isotick/core/detail/try.hpp>
#include <isotick/core/hash.hpp>

#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <span>
#include <system_error>

namespace isotick::harness::bisect {
namespace {

using core::ErrorCode;
using core::Result;

std::string describe(const CommandResult& done, const ToolLimits& limits) {
    switch (done.end) {
        case CommandEnd::timed_out:
            return "took longer than " + std::to_string(limits.timeout_ms / 1000) + " s";
        case CommandEnd::printed_too_much:
            return "printed more than " + std::to_string(limits.most_output >> 20) + " MiB";
        case CommandEnd::stopped:
        case CommandEnd::ended:
            break;
    }
    return done.process.well() ? "" : describe_end(done.process);
}

}  // namespace

Result<std::string> run_tool(const std::vector<std::string>& words, const std::string& folder,
                             const std::string& log, const ToolLimits& limits) {
    const FileDescriptor output(
        ::open(log.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC, 0666));
    if (output.get() < 0) {
        return system_failure(log + " cannot be written");
    }
    Command command;
    command.words = words;
    command.environment = own_environment();
    command.folder = folder;
    command.output = command.errors = output.get();
    command.timeout_ms = limits.timeout_ms;
    command.most_output = limits.most_output;
    command.memory_limit = limits.memory_limit;
    command.stop = limits.stop;
    ISOTICK_TRY_ASSIGN(const auto done, run_command(command));
    if (done.end == CommandEnd::stopped) {
        return core::fail(ErrorCode::io, "interrupted");
    }
    return describe(done, limits);
}

Result<std::string> content_of_file(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    std::string content{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
    return file ? Result<std::string>(std::move(content))
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
