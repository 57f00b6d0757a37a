#include "peer_recording.hpp"

#include <isotick/core/detail/try.hpp>

#include <utility>

namespace isotick::harness {

using core::Result;

Result<PeerRecording> PeerRecording::create(const std::string& path,
                                            const replay::RecordingHead& head,
                                            const replay::TickHashes& initial) {
    ISOTICK_TRY_ASSIGN(
        auto writer,
        replay::Writer::create(path, head, initial,
                               {.overwrite = false, .appearance = replay::Appearance::filled_in}));
    PeerRecording recording(std::move(writer));
    recording.keep(initial);
    return recording;
}

Result<void> PeerRecording::append(std::span<const isotick_input> inputs,
                                   const replay::TickHashes* hashes,
                                   std::optional<core::TickDt> dt) {
    last_is_known_ = false;
    if (hashes != nullptr) {
        keep(*hashes);
    }
    return writer_.append(inputs, hashes, dt);
}

Result<void> PeerRecording::close() {
    return last_is_known_ ? writer_.finish({last_, last_parts_}) : writer_.leave_unfinished();
}

void PeerRecording::keep(const replay::TickHashes& hashes) {
    last_is_known_ = true;
    last_ = hashes.state;
    last_parts_.assign(hashes.parts.begin(), hashes.parts.end());
}

}  // namespace isotick::harness
