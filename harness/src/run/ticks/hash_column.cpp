#include "hash_column.hpp"

#include <isotick/core/detail/bytes.hpp>

#include <array>
#include <fcntl.h>
#include <unistd.h>

namespace isotick::harness {
namespace {

constexpr std::uint64_t kHashBytes = sizeof(core::StateHash::value);

}  // namespace

core::Result<HashColumn> HashColumn::open(const HashFile& file) {
    FileDescriptor opened(::open(file.path.c_str(), O_RDWR | O_CLOEXEC));
    if (opened.get() < 0) {
        return system_failure("cannot open the hashes in " + file.path);
    }
    return HashColumn(std::move(opened), file.use);
}

core::Result<void> HashColumn::write(std::uint64_t ticks_done, core::StateHash hash) {
    std::array<std::byte, kHashBytes> bytes{};
    core::store(bytes.data(), hash.value);
    const auto offset = static_cast<off_t>(ticks_done * kHashBytes);
    if (pwrite(file_.get(), bytes.data(), bytes.size(), offset) !=
        static_cast<ssize_t>(bytes.size())) {
        return system_failure("cannot write a hash");
    }
    return {};
}

core::Result<std::optional<core::StateHash>> HashColumn::read(std::uint64_t ticks_done) const {
    std::array<std::byte, kHashBytes> bytes{};
    const auto offset = static_cast<off_t>(ticks_done * kHashBytes);
    const ssize_t count = pread(file_.get(), bytes.data(), bytes.size(), offset);
    if (count < 0) {
        return system_failure("cannot read a hash");
    }
    if (count < static_cast<ssize_t>(bytes.size())) {
        return std::nullopt;
    }
    return core::StateHash{core::ByteReader(bytes).get<std::uint64_t>()};
}

}  // namespace isotick::harness
