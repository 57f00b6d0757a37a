#include "text_target.hpp"

#include <cstdint>
#include <filesystem>
#include <system_error>
#include <utility>

namespace isotick::harness {
namespace {

using core::ErrorCode;
using core::Result;

// A killed process leaves its temporary; this many of them are stepped over.
constexpr int kMostTemporaries = 100;

void remove_quietly(const std::string& path) {
    std::error_code ignored;
    if (!path.empty()) {
        std::filesystem::remove(path, ignored);
    }
}

bool exists(const std::string& path) {
    std::error_code error;
    return std::filesystem::exists(std::filesystem::symlink_status(path, error));
}

}  // namespace

TextTarget::~TextTarget() {
    writer_.reset();
    remove_quietly(begun_);
    remove_quietly(temporary_);
}

Result<void> TextTarget::open(const std::string& path, const replay::RecordingHead& head,
                              const replay::TickHashes& initial, bool overwrite) {
    const bool is_new = !exists(path);
    auto writer = replay::Writer::create(path, head, initial, {.overwrite = overwrite});
    if (!writer) {
        return tl::unexpected(writer.error());
    }
    writer_ = *std::move(writer);
    begun_ = is_new ? path : "";
    return {};
}

Result<void> TextTarget::open_beside(const std::string& path, const replay::SessionInfo& session) {
    replay::RecordingHead head;
    head.session = session;
    head.hash_every = UINT32_MAX;
    for (int number = 0;; ++number) {
        const std::string candidate = path + ".inputs" + std::to_string(number);
        auto writer = replay::Writer::create(candidate, head, {});
        if (writer) {
            writer_ = *std::move(writer);
            temporary_ = candidate;
            return {};
        }
        if (writer.error().code != ErrorCode::usage || number + 1 == kMostTemporaries) {
            return tl::unexpected(writer.error());
        }
    }
}

Result<void> TextTarget::append(std::span<const isotick_input> inputs,
                                const replay::TickHashes& hashes, std::optional<core::TickDt> dt) {
    return writer_->append(inputs, &hashes, dt);
}

Result<void> TextTarget::finish(bool finished, const replay::TickHashes& final_hashes,
                                core::Digest& digest) {
    auto ended = finished ? writer_->finish(final_hashes) : writer_->leave_unfinished();
    if (ended) {
        digest = writer_->session_digest();
        begun_.clear();
    }
    return ended;
}

Result<std::string> TextTarget::close_inputs() {
    return writer_->finish({}).map([this] { return temporary_; });
}

void TextTarget::watch(const std::string& path) {
    begun_ = exists(path) ? "" : path;
}

}  // namespace isotick::harness
