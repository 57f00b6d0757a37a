#include "memory_file.hpp"

#include <unistd.h>
#include <utility>

namespace isotick::fuzz {

MemoryFile::MemoryFile() {
    auto file = harness::anonymous_file();
    require(file.has_value(), "there are anonymous files");
    file_ = *std::move(file);
    path_ = "/proc/self/fd/" + std::to_string(file_.get());
}

void MemoryFile::fill(Input content) {
    const bool filled =
        ftruncate(file_.get(), 0) == 0 && pwrite(file_.get(), content.data(), content.size(), 0) ==
                                              static_cast<ssize_t>(content.size());
    require(filled && lseek(file_.get(), 0, SEEK_SET) == 0, "an anonymous file can be filled");
}

core::Bytes MemoryFile::content() const {
    const off_t size = lseek(file_.get(), 0, SEEK_END);
    core::Bytes content(static_cast<std::size_t>(size));
    require(pread(file_.get(), content.data(), content.size(), 0) == size,
            "an anonymous file can be read");
    return content;
}

}  // namespace isotick::fuzz
