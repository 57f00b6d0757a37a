#include "text_target.hpp"

#include <isotick/core/detail/try.hpp>

#include <cstdint>
#include <utility>

namespace isotick::harness {

using core::Result;

Result<void> TextTarget::open(const std::string& path, const replay::RecordingHead& head,
                              const replay::TickHashes& initial, bool overwrite) {
    return replay::Writer::create(path, head, initial, {overwrite, replay::Appearance::complete})
        .map([this](replay::Writer&& writer) { writer_ = std::move(writer); });
}

Result<void> TextTarget::open_inputs(const std::string& path, const replay::SessionInfo& session) {
    replay::RecordingHead head;
    head.session = session;
    head.hash_every = UINT32_MAX;
    ISOTICK_TRY_ASSIGN(inputs_, replay::NewFile::create(path + ".inputs", true));
    ISOTICK_TRY_ASSIGN(writer_,
                       replay::Writer::create(inputs_->place(), head, {},
                                              {.appearance = replay::Appearance::filled_in}));
    return {};
}

Result<void> TextTarget::append(std::span<const isotick_input> inputs,
                                const replay::TickHashes& hashes, std::optional<core::TickDt> dt) {
    return writer_->append(inputs, &hashes, dt);
}

Result<void> TextTarget::finish(bool finished, const replay::TickHashes& final_hashes,
                                core::Digest& digest) {
    auto ended = finished ? writer_->finish(final_hashes) : writer_->leave_unfinished();
    digest = writer_->session_digest();
    return ended;
}

Result<std::string> TextTarget::close_inputs() {
    return writer_->finish({}).map([this] { return inputs_->place().string(); });
}

}  // namespace isotick::harness
