#include "output_target.hpp"

#include "../format/bytes.hpp"

#include <isotick/core/detail/try.hpp>
#include <isotick/replay/detail/new_file.hpp>

#include <system_error>
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

OutputTarget::OutputTarget(std::variant<File, UnnamedFile> file, std::filesystem::path path,
                           WriterOptions options)
    : file_(std::move(file)), path_(std::move(path)), options_(options) {}

Result<OutputTarget> OutputTarget::open(const std::string& name, WriterOptions options) {
    const std::filesystem::path path = path_of(name);
    const PathKind kind = kind_of(path);
    const auto writing = [&](auto&& file) { return OutputTarget(std::move(file), path, options); };
    if (options.appearance == Appearance::filled_in ||
        (options.overwrite && kind == PathKind::special)) {
        return File::open_emptied(path).map(writing);
    }
    if (options.overwrite && kind == PathKind::regular && is_being_written(path)) {
        return refused(ErrorCode::usage, path, "is being written at this moment");
    }
    if ((!options.overwrite || kind == PathKind::directory) && is_taken(path)) {
        return refused(ErrorCode::usage, path, "exists already");
    }
    return UnnamedFile::create(path).map(writing).map([&](OutputTarget&& target) {
        target.replaces_ = options.overwrite && kind == PathKind::regular;
        target.appears_ = options.appearance == Appearance::at_once;
        return std::move(target);
    });
}

File& OutputTarget::file() {
    auto* const unnamed = std::get_if<UnnamedFile>(&file_);
    return unnamed != nullptr ? unnamed->file() : std::get<File>(file_);
}

std::filesystem::path OutputTarget::place() const {
    const auto* const unnamed = std::get_if<UnnamedFile>(&file_);
    return unnamed != nullptr ? unnamed->place() : path_;
}

Result<void> OutputTarget::write(std::span<const std::byte> bytes) {
    auto* const unnamed = std::get_if<UnnamedFile>(&file_);
    if (unnamed != nullptr && unnamed->is_lost()) {
        return refused(ErrorCode::io, path_, "was deleted or replaced while it was written");
    }
    if (auto written = file().write(bytes); !written) {
        discard_after_failure(file().truncate(size_));
        return written;
    }
    const bool is_first = size_ == 0;
    size_ += bytes.size();
    if (appears_ && !(replaces_ && is_first)) {
        ISOTICK_TRY(unnamed->appear(replaces_));
        appears_ = false;
        name_is_synced_ = false;
    }
    return {};
}

Result<void> OutputTarget::sync() {
    if (!options_.durable || !std::holds_alternative<UnnamedFile>(file_)) {
        return {};
    }
    ISOTICK_TRY(file().sync());
    if (!name_is_synced_) {
        ISOTICK_TRY(sync_directory_of(path_));
        name_is_synced_ = true;
    }
    return {};
}

Result<void> OutputTarget::complete() {
    auto* const unnamed = std::get_if<UnnamedFile>(&file_);
    if (unnamed == nullptr) {
        return file().close();
    }
    const bool has_name = !appears_ && options_.appearance == Appearance::at_once && !replaces_;
    ISOTICK_TRY(unnamed->take_name(options_.overwrite));
    return options_.durable && !has_name ? sync_directory_of(path_) : Result<void>{};
}

Result<void> OutputTarget::leave_beside() {
    auto* const unnamed = std::get_if<UnnamedFile>(&file_);
    return unnamed != nullptr && replaces_ ? unnamed->appear(true) : Result<void>();
}

void OutputTarget::discard() {
    if (auto* const unnamed = std::get_if<UnnamedFile>(&file_)) {
        unnamed->discard();
    }
}

using core::Result;

bool is_same_file(const std::string& a, const std::string& b) {
    std::error_code ignored;
    return std::filesystem::equivalent(path_of(a), path_of(b), ignored);
}

struct NewFile::Target : OutputTarget {};

NewFile::NewFile(std::unique_ptr<Target> target) : target_(std::move(target)) {}
NewFile::~NewFile() = default;
NewFile::NewFile(NewFile&&) noexcept = default;
NewFile& NewFile::operator=(NewFile&&) noexcept = default;

Result<NewFile> NewFile::create(const std::string& path, bool overwrite) {
    return guarded([&] {
        return OutputTarget::open(path, {overwrite, Appearance::complete})
            .map([](OutputTarget&& target) {
                return NewFile(std::make_unique<Target>(Target{std::move(target)}));
            });
    });
}

std::string NewFile::place() const {
    return path_text(target_->place());
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
