#include "../format/guarded.hpp"
#include "output_target.hpp"

#include <isotick/replay/detail/new_file.hpp>

#include <system_error>
#include <utility>

namespace isotick::replay {

using core::Result;

bool is_same_file(const std::filesystem::path& a, const std::filesystem::path& b) {
    std::error_code ignored;
    return std::filesystem::equivalent(a, b, ignored);
}

struct NewFile::Target : OutputTarget {};

NewFile::NewFile(std::unique_ptr<Target> target) : target_(std::move(target)) {}
NewFile::~NewFile() = default;
NewFile::NewFile(NewFile&&) noexcept = default;
NewFile& NewFile::operator=(NewFile&&) noexcept = default;

Result<NewFile> NewFile::create(const std::filesystem::path& path, bool overwrite) {
    return guarded([&] {
        return OutputTarget::open(path, {overwrite, Appearance::complete})
            .map([](OutputTarget&& target) {
                return NewFile(std::make_unique<Target>(Target{std::move(target)}));
            });
    });
}

std::filesystem::path NewFile::place() const {
    return target_->place();
}

Result<void> NewFile::write(std::span<const std::byte> bytes) {
    return guarded([&] { return target_->write(bytes); });
}

Result<void> NewFile::leave_beside() {
    return guarded([&] { return target_->leave_beside(); });
}

Result<void> NewFile::complete() {
    return guarded([&] { return target_->complete(); });
}

}  // namespace isotick::replay
