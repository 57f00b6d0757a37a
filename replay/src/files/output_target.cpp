#include "output_target.hpp"

#include <isotick/core/detail/try.hpp>

#include <utility>

namespace isotick::replay {
namespace {

using core::ErrorCode;
using core::Result;

tl::unexpected<core::Error> refused(ErrorCode code, const std::filesystem::path& path,
                                    const char* why) {
    return tl::unexpected(core::Error{code, why, path_text(path), {}, {}});
}

bool is_taken(const std::filesystem::path& path) {
    std::error_code ignored;
    return std::filesystem::exists(std::filesystem::symlink_status(path, ignored));
}

}  // namespace

OutputTarget::OutputTarget(Way way, std::variant<File, UnnamedFile> file,
                           std::filesystem::path path, WriterOptions options)
    : way_(way), file_(std::move(file)), path_(std::move(path)), options_(options) {}

Result<OutputTarget> OutputTarget::open(const std::filesystem::path& path, WriterOptions options) {
    const PathKind kind = kind_of(path);
    const auto writing = [&](Way way) {
        return [&path, options, way](auto&& file) {
            return OutputTarget(way, std::move(file), path, options);
        };
    };
    if (options.appearance == Appearance::filled_in ||
        (options.overwrite && kind == PathKind::special)) {
        return File::open_emptied(path).map(writing(Way::special));
    }
    if (options.overwrite && kind == PathKind::regular && is_being_written(path)) {
        return refused(ErrorCode::usage, path, "is being written at this moment");
    }
    if ((!options.overwrite || kind == PathKind::directory) && is_taken(path)) {
        return refused(ErrorCode::usage, path, "exists already");
    }
    if (options.appearance == Appearance::complete || kind == PathKind::regular) {
        return UnnamedFile::create(path).map(writing(Way::unnamed));
    }
    return File::create(path).map(writing(Way::exclusive));
}

File& OutputTarget::file() {
    auto* const unnamed = std::get_if<UnnamedFile>(&file_);
    return unnamed != nullptr ? unnamed->file() : std::get<File>(file_);
}

bool OutputTarget::is_lost() {
    switch (way_) {
        case Way::exclusive:
            return file().is_deleted();
        case Way::unnamed:
            return std::get<UnnamedFile>(file_).is_lost();
        case Way::special:
            return false;
    }
    return false;
}

std::filesystem::path OutputTarget::place() const {
    const auto* const unnamed = std::get_if<UnnamedFile>(&file_);
    return unnamed != nullptr ? unnamed->place() : path_;
}

Result<void> OutputTarget::write(std::span<const std::byte> bytes) {
    if (is_lost()) {
        return refused(ErrorCode::io, path_, "was deleted or replaced while it was written");
    }
    if (auto written = file().write(bytes); !written) {
        (void)file().truncate(size_);
        return written;
    }
    if (options_.durable && way_ != Way::special) {
        ISOTICK_TRY(file().sync());
        // The name of a new file must survive too; an unnamed one gets its name at the end.
        if (size_ == 0 && way_ == Way::exclusive) {
            ISOTICK_TRY(sync_directory_of(path_));
        }
    }
    size_ += bytes.size();
    return {};
}

Result<void> OutputTarget::complete() {
    if (way_ != Way::unnamed) {
        return file().close();
    }
    ISOTICK_TRY(std::get<UnnamedFile>(file_).take_name(options_.overwrite));
    return options_.durable ? sync_directory_of(path_) : Result<void>{};
}

void OutputTarget::discard() {
    if (way_ == Way::exclusive) {
        (void)file().close();
        remove_quietly(path_);
    }
}

}  // namespace isotick::replay
