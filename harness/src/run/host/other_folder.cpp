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

// Works as long as the folder may be searched, even where it was removed.
void change_to(const FileDescriptor& folder) {
    [[maybe_unused]] const int changed = fchdir(folder.get());
}

}  // namespace

Result<std::unique_ptr<OtherFolder>> OtherFolder::make(const std::string& path) {
    ISOTICK_TRY_ASSIGN(auto host, open_folder("."));
    ISOTICK_TRY_ASSIGN(auto simulation, open_folder(path.c_str()));
    return std::unique_ptr<OtherFolder>(new OtherFolder(std::move(host), std::move(simulation)));
}

void OtherFolder::enter() const {
    change_to(simulation_);
}

void OtherFolder::leave() {
    if (auto now = open_folder(".")) {
        simulation_ = std::move(*now);
    }
    change_to(host_);
}

}  // namespace isotick::harness
