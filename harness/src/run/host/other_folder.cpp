#include "other_folder.hpp"

#include <isotick/core/detail/try.hpp>

#include <fcntl.h>
#include <unistd.h>

namespace isotick::harness {
namespace {

using core::Result;

// Where the numbers are that simulations get for their own files: not here.
constexpr int kOutOfTheWay = 300;

Result<FileDescriptor> open_folder(const char* path) {
    const FileDescriptor folder(open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (folder.get() < 0) {
        return system_failure("cannot open a folder");
    }
    return copy_of(folder, kOutOfTheWay);
}

}  // namespace

Result<std::unique_ptr<OtherFolder>> OtherFolder::make(const std::string& path) {
    ISOTICK_TRY_ASSIGN(auto host, open_folder("."));
    ISOTICK_TRY_ASSIGN(auto simulation, open_folder(path.c_str()));
    return std::unique_ptr<OtherFolder>(new OtherFolder(std::move(host), std::move(simulation)));
}

void OtherFolder::enter() const {
    (void)!fchdir(simulation_.get());
}

void OtherFolder::leave() {
    if (auto now = open_folder(".")) {
        simulation_ = std::move(*now);
    }
    (void)!fchdir(host_.get());
}

}  // namespace isotick::harness
