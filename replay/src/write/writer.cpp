#include "writer.hpp"

#include "../format/bytes.hpp"
#include "../format/chunk_header.hpp"
#include "chunk_builder.hpp"

#include <isotick/core/detail/try.hpp>
#include <isotick/replay/writer.hpp>

#include <optional>
#include <span>
#include <string>
#include <utility>

namespace isotick::replay {

using core::ErrorCode;
using core::Result;

namespace {

tl::unexpected<core::Error> fail_at(std::uint64_t tick, std::string message) {
    return tl::unexpected(core::Error{ErrorCode::usage, std::move(message), {}, {}, tick});
}

}  // namespace

Result<ChunkWriter> ChunkWriter::create(const std::string& path, const RecordingHead& head,
                                        const TickHashes& initial, WriterOptions options) {
    ISOTICK_TRY_ASSIGN(const auto block, encode_head(head, initial));
    ISOTICK_TRY_ASSIGN(auto target, OutputTarget::open(path, options));
    ChunkWriter writer(head, initial, std::move(target));
    writer.head_size_ = block.size();
    ISOTICK_TRY(writer.target_.write(block));  // the last that can fail: now there is a file
    return writer;
}

ChunkWriter::ChunkWriter(const RecordingHead& head, const TickHashes& initial, OutputTarget target)
    : stride_(head.stride()),
      target_(std::move(target)),
      chain_(head, {initial.state,
                    stride_.has_parts() ? initial.parts : std::span<const core::PartHash>()}),
      encoder_(head) {}

Bytes ChunkWriter::encode(const StoredTicks& chunk) {
    index_.offsets.push_back(target_.size());
    return frame_chunk({.type = kTickChunk,
                        .ticks_less_one = static_cast<std::uint16_t>(chunk.ticks - 1),
                        .first = chunk.first},
                       encoder_.encode(chunk, digests(chunk)));
}

Result<void> ChunkWriter::write(const StoredTicks& chunk) {
    ISOTICK_TRY(target_.write(encode(chunk)));
    ISOTICK_TRY(target_.sync());
    written_through_ = chunk.end();
    return {};
}

Result<FinalHashes> ChunkWriter::final_hashes(const TickHashes& hashes) {
    FinalHashes final;
    final.ticks = chain_.next_tick();
    if (!chain_.last_state()) {
        final.state = hashes.state;
    } else if (hashes.state != *chain_.last_state()) {
        return fail_at(final.ticks,
                       "the final hash is not the one that was appended with the last tick");
    }
    if (final.ticks != 0 && stride_.has_parts() && !stride_.parts_due({final.ticks - 1})) {
        if (hashes.parts.size() != stride_.part_count) {
            return fail_at(final.ticks, std::to_string(hashes.parts.size()) +
                                            " final part hashes given, " +
                                            std::to_string(stride_.part_count) + " needed");
        }
        final.parts.assign(hashes.parts.begin(), hashes.parts.end());
    }
    chain_.add(final);
    final.session_digest = chain_.session_digest();
    final.hash_digest = chain_.hash_digest();
    return final;
}

Result<void> ChunkWriter::finish(const StoredTicks& open, const TickHashes& hashes) {
    // Before the final hashes enter the digest, which the open chunk ends with.
    Bytes end = open.ticks == 0 ? Bytes() : encode(open);
    ISOTICK_TRY_ASSIGN(const auto final, final_hashes(hashes));
    put_bytes(end, frame_chunk({.type = kFinalChunk, .first = final.ticks}, encode_final(final)));
    index_.ticks = final.ticks;
    put_bytes(end, encode_tail(index_, head_size_, target_.size() + end.size()));
    ISOTICK_TRY(target_.write(end));
    ISOTICK_TRY(target_.sync());
    ISOTICK_TRY(target_.complete());
    written_through_ = final.ticks;
    return {};
}

Digests ChunkWriter::digests(const StoredTicks& open) {
    chain_.add(open);
    return chain_.digests();
}

using core::ErrorCode;
using core::Result;

struct Writer::Impl {
    explicit Impl(const RecordingHead& head) : builder(head) {}

    [[nodiscard]] Result<void> append(std::span<const isotick_input> inputs,
                                      const TickHashes* hashes, std::optional<core::TickDt> dt) {
        if (!builder.append(inputs, hashes, dt)) {
            return tl::unexpected(builder.error());
        }
        if (builder.is_full()) {
            ISOTICK_TRY(chunks->write(builder.open()));
            builder.begin_chunk();
        }
        return {};
    }

    // What `call` returns, the first failure of all; after success the Writer is what `then` says.
    template <class Call>
    [[nodiscard]] Result<void> once(const Call& call, const char* then = nullptr) {
        try {
            if (failure || closed != nullptr) {
                return failure ? tl::unexpected(*failure) : core::fail(ErrorCode::usage, closed);
            }
            Result<void> result = call();
            if (!result) {
                failure = result.error();
            }
            closed = then;
            return result;
        } catch (...) {
            failure = thrown_error();
            return tl::unexpected(thrown_error());
        }
    }

    [[nodiscard]] Digests digests() {
        try {
            return chunks->digests(builder.open());
        } catch (...) {
            if (!failure) {
                failure = thrown_error();
            }
            return {};
        }
    }

    ChunkBuilder builder;
    std::optional<ChunkWriter> chunks;
    std::optional<core::Error> failure;
    const char* closed = nullptr;
};

Result<Writer> Writer::create(const std::string& path, const RecordingHead& head,
                              const TickHashes& initial, WriterOptions options) {
    return guarded([&]() -> Result<Writer> {
        auto impl = std::make_unique<Impl>(head);
        ISOTICK_TRY_ASSIGN(auto chunks, ChunkWriter::create(path, head, initial, options));
        if (auto synced = chunks.sync_head(); !synced) {
            chunks.discard();
            return tl::unexpected(synced.error());
        }
        impl->chunks.emplace(std::move(chunks));
        return Writer(std::move(impl));
    });
}

Writer::Writer(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Writer::~Writer() = default;
Writer::Writer(Writer&&) noexcept = default;
Writer& Writer::operator=(Writer&&) noexcept = default;

bool Writer::hash_due(core::Tick tick) const {
    return impl_->builder.hash_due(tick);
}

Result<void> Writer::append(std::span<const isotick_input> inputs, const TickHashes* hashes,
                            std::optional<core::TickDt> dt) {
    return impl_->once([&] { return impl_->append(inputs, hashes, dt); });
}

Result<void> Writer::finish(const TickHashes& final_hashes) {
    return impl_->once([&] { return impl_->chunks->finish(impl_->builder.open(), final_hashes); },
                       "the recording is finished");
}

Result<void> Writer::leave_unfinished() {
    return impl_->once([&] { return impl_->chunks->leave_unfinished(); },
                       "the recording is closed");
}

std::uint64_t Writer::ticks() const {
    return impl_->builder.ticks();
}
std::uint64_t Writer::written_through() const {
    return impl_->chunks->written_through();
}
core::Digest Writer::session_digest() const {
    return impl_->digests().session;
}
core::Digest Writer::hash_digest() const {
    return impl_->digests().hashes;
}

}  // namespace isotick::replay
