#include "work_folder.hpp"

#include "../../platform/processes/cleanup_process.hpp"

#include <isotick/core/detail/text/printable.hpp>
#include <isotick/core/detail/try.hpp>

#include <cerrno>
#include <chrono>
#include <fcntl.h>
#include <fstream>
#include <sstream>
#include <thread>

#include <sys/file.h>

namespace isotick::harness::bisect {
namespace {

using core::ErrorCode;
using core::Result;
using std::chrono::steady_clock;

// A bisection that was killed holds its folder until its builds are dead, which may take a while
// to end (see cleanup_process.cpp).
constexpr std::chrono::milliseconds kPatience{5000};
constexpr std::chrono::milliseconds kPause{5};

}  // namespace

FolderLock::~FolderLock() {
    if (file_.get() >= 0) {
        flock(file_.get(), LOCK_UN);  // for the cleanup process's copy, too
    }
}

Result<FolderLock> FolderLock::take(const std::string& folder) {
    const std::string path = folder + "/lock";
    ISOTICK_TRY(start_cleanup_process());
    FileDescriptor file(open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666));
    if (file.get() < 0) {
        return system_failure(path + " cannot be made");
    }
    const auto deadline = steady_clock::now() + kPatience;
    while (flock(file.get(), LOCK_EX | LOCK_NB) != 0) {
        if (errno != EWOULDBLOCK) {
            return system_failure(path + " cannot be locked");
        }
        if (steady_clock::now() >= deadline) {
            return core::fail(ErrorCode::usage, folder +
                                                    ": another bisection works in this folder; "
                                                    "give this one its own with --work");
        }
        std::this_thread::sleep_for(kPause);
    }
    hold_with_us(file.get());
    return FolderLock(std::move(file));
}

Result<std::string> keep_log(const std::string& folder, std::size_t number,
                             const std::string& log) {
    const std::string path = folder + "/bisect-" + std::to_string(number + 1) + ".log";
    std::ofstream file(path, std::ios::binary | std::ios::trunc);
    std::istringstream lines(log);
    for (std::string line; std::getline(lines, line);) {
        file << (line.starts_with('#') ? core::printable(line) : line) << '\n';
    }
    file.close();
    return file ? Result<std::string>(path)
                : core::fail(ErrorCode::io, path + ": cannot be written");
}

}  // namespace isotick::harness::bisect
