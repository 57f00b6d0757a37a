#include "stored_frames.hpp"

#include "../platform/mapped_file.hpp"

#include <isotick/core/detail/try.hpp>

#include <fcntl.h>
#include <optional>
#include <utility>

namespace isotick::harness {
namespace {

using core::CapturedFrames;
using core::Result;
using Frames = std::shared_ptr<const CapturedFrames>;

/// A mapped file of frames, and where this process made it the file itself.
class StoredFrames : public core::FrameKeeper {
  public:
    StoredFrames(std::optional<SharedFile> file, MappedFile bytes)
        : file_(std::move(file)), bytes_(std::move(bytes)) {}

    [[nodiscard]] std::string path() const { return file_ ? file_->path() : ""; }
    [[nodiscard]] std::span<const std::int64_t> ends() const {
        const auto bytes = bytes_.bytes();
        return {reinterpret_cast<const std::int64_t*>(bytes.data()),
                bytes.size() / sizeof(std::int64_t)};
    }

  private:
    std::optional<SharedFile> file_;
    MappedFile bytes_;
};

Result<Frames> view(std::optional<SharedFile> file, MappedFile bytes) {
    auto stored = std::make_shared<const StoredFrames>(std::move(file), std::move(bytes));
    return CapturedFrames::view(stored->ends(), stored);
}

}  // namespace

Result<Frames> store_frames(const std::vector<std::int64_t>& ends) {
    ISOTICK_TRY_ASSIGN(auto file, SharedFile::make());
    const FileDescriptor target(open(file.path().c_str(), O_WRONLY | O_CLOEXEC));
    const std::string_view bytes(reinterpret_cast<const char*>(ends.data()),
                                 ends.size() * sizeof(std::int64_t));
    if (target.get() < 0 || !write_all(target.get(), bytes)) {
        return system_failure("the frames of a capture cannot be stored");
    }
    ISOTICK_TRY_ASSIGN(auto mapped, file.read());
    return view(std::move(file), std::move(mapped));
}

std::string stored_path(const CapturedFrames& frames) {
    const auto* const stored = dynamic_cast<const StoredFrames*>(frames.keeper());
    return stored == nullptr ? "" : stored->path();
}

Result<Frames> open_stored_frames(const std::string& path) {
    return MappedFile::open(path).and_then(
        [](MappedFile&& bytes) { return view(std::nullopt, std::move(bytes)); });
}

}  // namespace isotick::harness
