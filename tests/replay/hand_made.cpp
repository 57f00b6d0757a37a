#include "hand_made.hpp"

#include "format/chunk_header.hpp"
#include "format/tick_codec.hpp"
#include "read/chunk_chain.hpp"

namespace isotick::replay {
namespace {

void digest(const MadeChunk& chunk, SessionDigester& session) {
    auto next = chunk.counted.begin();
    for (std::uint32_t tick = 0; tick < chunk.ticks; ++tick) {
        for (; next != chunk.counted.end() && next->tick == tick; ++next) {
            const auto code = static_cast<std::uint32_t>(next->input ? next->input->size() + 1 : 0);
            session.add({tick, next->column, code, 0},
                        next->input.value_or(std::vector<std::uint8_t>()));
        }
        if (tick < chunk.own_dts.size() && chunk.own_dts[tick]) {
            session.add(*chunk.own_dts[tick]);
        }
        session.end_tick();
    }
}

Bytes payload_of(const MadeChunk& chunk) {
    Bytes payload;
    put(payload, static_cast<std::uint8_t>((chunk.is_zstd ? kInputsAreZstd : 0) |
                                           (chunk.dts.empty() ? 0 : kHasDts)));
    put_varint(payload, chunk.inputs.size());
    put_bytes(payload, chunk.inputs);
    if (!chunk.dts.empty()) {
        put_varint(payload, chunk.dts.size());
        put_bytes(payload, chunk.dts);
    }
    return payload;
}

}  // namespace

RecordingHead made_head(std::uint32_t players) {
    RecordingHead head;
    head.session.simulation = "hand-made";
    head.session.rate = core::TickRate::make(10, 1).value();
    head.session.players = players;
    return head;
}

std::vector<std::byte> made_recording(const RecordingHead& head,
                                      const std::vector<MadeChunk>& chunks) {
    SessionDigester session(head.session);
    HashDigester hashes(head);
    hashes.add(0, {}, {});
    Bytes file = encode_head(head, {}).value();
    std::uint64_t tick = 0;
    for (const MadeChunk& chunk : chunks) {
        Bytes payload = payload_of(chunk);
        digest(chunk, session);
        const std::uint64_t first = tick;
        for (std::uint32_t i = 0; i < chunk.ticks; ++i) {
            if (head.stride().hash_due({tick++})) {
                put(payload, std::uint64_t{0});
                hashes.add(tick, {}, {});
            }
        }
        put_digest(payload, session.value());
        put_digest(payload, hashes.value());
        put_bytes(file, frame_chunk({.type = kTickChunk,
                                     .ticks_less_one = static_cast<std::uint16_t>(chunk.ticks - 1),
                                     .first = first},
                                    payload));
    }
    FinalHashes final;
    final.ticks = tick;
    if (tick != 0 && !head.stride().hash_due({tick - 1})) {
        final.state.emplace();
        hashes.add(tick, {}, {});
    }
    final.session_digest = session.value();
    final.hash_digest = hashes.value();
    put_bytes(file, frame_chunk({.type = kFinalChunk, .first = tick}, encode_final(final)));
    return file;
}

Bytes bytes_of(std::initializer_list<unsigned> values) {
    Bytes bytes;
    for (const unsigned value : values) {
        bytes.push_back(static_cast<std::byte>(value));
    }
    return bytes;
}

}  // namespace isotick::replay
