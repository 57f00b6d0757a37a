#include "state_file.hpp"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <utility>

namespace isotick::program {

core::Result<StateFile> StateFile::create(const std::string& path) {
    std::FILE* const file = std::fopen(path.c_str(), "wbx");
    if (file == nullptr) {
        const bool exists = errno == EEXIST;
        auto failed =
            core::fail(exists ? core::ErrorCode::usage : core::ErrorCode::io,
                       exists ? "exists already; a state dump replaces no file"
                              : std::string("cannot be created: ") + std::strerror(errno));
        failed.value().file = path;
        return failed;
    }
    std::fclose(file);
    return StateFile(path);
}

StateFile::~StateFile() {
    if (!path_.empty()) {
        std::remove(path_.c_str());
    }
}

StateFile::StateFile(StateFile&& other) noexcept : path_(std::exchange(other.path_, {})) {}

}  // namespace isotick::program
