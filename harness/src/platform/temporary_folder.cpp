#include "temporary_folder.hpp"

#include "posix.hpp"
#include "processes/cleanup_process.hpp"
#include "processes/process.hpp"

#include <isotick/core/detail/try.hpp>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <random>
#include <system_error>
#include <utility>

#include <sys/stat.h>

namespace isotick::harness {
namespace {

using core::Result;

// A path that nobody has and nobody guesses.
Result<std::string> new_path(const std::string& parent, const std::string& prefix) {
    constexpr const char* kDigits = "0123456789abcdef";
    constexpr int kLength = 16;
    std::error_code error;
    std::filesystem::path path = std::filesystem::absolute(parent, error);
    std::string name = prefix;
    try {
        std::random_device random;
        for (int i = 0; i < kLength; ++i) {
            name += kDigits[random() % 16];
        }
    } catch (const std::exception& thrown) {
        return core::fail(core::ErrorCode::io,
                          std::string("the system has no random numbers: ") + thrown.what());
    }
    return (path / name).string();
}

}  // namespace

std::string temporary_place() {
    const char* given = std::getenv("TMPDIR");
    return given == nullptr || *given == '\0' ? P_tmpdir : given;
}

TemporaryFolder::TemporaryFolder(std::string path)
    : path_(std::move(path)), maker_(own_process_id()) {}

Result<TemporaryFolder> TemporaryFolder::make(const std::string& parent, const std::string& prefix,
                                              std::uint32_t mode) {
    ISOTICK_TRY_ASSIGN(auto folder, reserve(parent, prefix));
    if (mkdir(folder.path().c_str(), mode) != 0) {
        return system_failure("cannot make a folder in " + parent);
    }
    return folder;
}

Result<TemporaryFolder> TemporaryFolder::reserve(const std::string& parent,
                                                 const std::string& prefix) {
    ISOTICK_TRY(start_cleanup_process());
    ISOTICK_TRY_ASSIGN(auto path, new_path(parent, prefix));
    remove_with_us(path);
    return TemporaryFolder(std::move(path));
}

TemporaryFolder::~TemporaryFolder() {
    if (!path_.empty() && own_process_id() == maker_) {
        std::error_code failed;
        std::filesystem::remove_all(path_, failed);
        if (!failed) {  // else the cleanup process tries again
            keep_behind_us(path_);
        }
    }
}

TemporaryFolder::TemporaryFolder(TemporaryFolder&& other) noexcept
    : path_(std::exchange(other.path_, {})), maker_(other.maker_) {}

void TemporaryFolder::keep() {
    keep_behind_us(path_);
    path_.clear();
}

}  // namespace isotick::harness
