#include "output_target.hpp"

#include <string>
#include <utility>

namespace isotick::replay {
namespace {

using core::ErrorCode;
using core::Result;

// A killed process leaves its temporary; this many of them are stepped over.
constexpr int kMostTemporaries = 100;

tl::unexpected<core::Error> refused(ErrorCode code, const std::filesystem::path& path,
                                    const char* why) {
    return tl::unexpected(core::Error{code, why, path_text(path), {}, {}});
}

struct Temporary {
    File file;
    std::filesystem::path path;
};

Result<Temporary> create_beside(const std::filesystem::path& path) {
    for (int number = 0;; ++number) {
        std::filesystem::path candidate = path;
        candidate += ".partial" + std::to_string(number);
        auto file = File::create(candidate);
        if (file) {
            return Temporary{*std::move(file), std::move(candidate)};
        }
        if (file.error().code != ErrorCode::usage || number + 1 == kMostTemporaries) {
            return tl::unexpected(file.error());
        }
    }
}

}  // namespace

OutputTarget::OutputTarget(Way way, File file, std::filesystem::path path,
                           std::filesystem::path temporary, bool durable)
    : way_(way),
      file_(std::move(file)),
      path_(std::move(path)),
      temporary_(std::move(temporary)),
      durable_(durable) {}

Result<OutputTarget> OutputTarget::open(const std::filesystem::path& path, WriterOptions options) {
    const PathKind kind = kind_of(path);
    if (options.overwrite && kind == PathKind::special) {
        return File::open_special(path).map([&](File&& file) {
            return OutputTarget(Way::special, std::move(file), path, {}, false);
        });
    }
    if (options.overwrite && kind == PathKind::regular) {
        if (is_being_written(path)) {
            return refused(ErrorCode::usage, path, "is being written at this moment");
        }
        return create_beside(path).map([&](Temporary&& made) {
            return OutputTarget(Way::replace, std::move(made.file), path, std::move(made.path),
                                options.durable);
        });
    }
    return File::create(path).map([&](File&& file) {
        return OutputTarget(Way::exclusive, std::move(file), path, {}, options.durable);
    });
}

OutputTarget::~OutputTarget() {
    if (!temporary_.empty()) {
        file_.reset();
        remove_quietly(temporary_);
    }
}

OutputTarget::OutputTarget(OutputTarget&& other) noexcept
    : way_(other.way_),
      file_(std::exchange(other.file_, std::nullopt)),
      path_(std::move(other.path_)),
      temporary_(std::exchange(other.temporary_, {})),
      durable_(other.durable_),
      size_(other.size_) {}

Result<void> OutputTarget::write(std::span<const std::byte> bytes) {
    if (way_ != Way::special && file_->is_deleted()) {
        return refused(ErrorCode::io, path_, "was deleted or replaced while it was written");
    }
    if (auto written = file_->write(bytes); !written) {
        (void)file_->truncate(size_);
        return written;
    }
    if (durable_) {
        if (auto synced = file_->sync(); !synced) {
            return synced;
        }
        // The name of a new file must survive too; a temporary gets its name at the end.
        if (size_ == 0 && way_ == Way::exclusive) {
            if (auto synced = sync_directory_of(path_); !synced) {
                return synced;
            }
        }
    }
    size_ += bytes.size();
    return {};
}

Result<void> OutputTarget::complete() {
    if (auto closed = file_->close(); !closed) {
        return closed;
    }
    if (way_ != Way::replace) {
        return {};
    }
    if (auto renamed = rename_over(temporary_, path_); !renamed) {
        return renamed;
    }
    temporary_.clear();
    return durable_ ? sync_directory_of(path_) : Result<void>{};
}

void OutputTarget::discard() {
    file_.reset();
    if (way_ == Way::exclusive) {
        remove_quietly(path_);
    }
}

}  // namespace isotick::replay
