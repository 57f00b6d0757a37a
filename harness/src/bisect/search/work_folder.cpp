#include "work_folder.hpp"

#include <cerrno>
#include <fcntl.h>
#include <fstream>

#include <sys/file.h>

namespace isotick::harness::bisect {

using core::ErrorCode;
using core::Result;

Result<FileDescriptor> lock_folder(const std::string& folder) {
    const std::string path = folder + "/lock";
    FileDescriptor file(open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666));
    if (file.get() < 0) {
        return system_failure(path + " cannot be made");
    }
    if (flock(file.get(), LOCK_EX | LOCK_NB) != 0) {
        return errno == EWOULDBLOCK
                   ? Result<FileDescriptor>(core::fail(
                         ErrorCode::usage, folder + ": another bisection works in this folder; "
                                                    "give this one its own with --work"))
                   : system_failure(path + " cannot be locked");
    }
    return file;
}

Result<std::string> keep_log(const std::string& folder, std::size_t number,
                             const std::string& log) {
    const std::string path = folder + "/bisect-" + std::to_string(number + 1) + ".log";
    std::ofstream file(path, std::ios::binary | std::ios::trunc);
    file << log;
    file.close();
    return file ? Result<std::string>(path)
                : core::fail(ErrorCode::io, path + ": cannot be written");
}

}  // namespace isotick::harness::bisect
