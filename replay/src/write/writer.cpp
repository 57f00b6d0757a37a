#include "../format/guarded.hpp"
#include "chunk_builder.hpp"
#include "chunk_writer.hpp"

#include <isotick/core/detail/try.hpp>
#include <isotick/replay/writer.hpp>

#include <optional>
#include <utility>

namespace isotick::replay {

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

Result<Writer> Writer::create(const std::filesystem::path& path, const RecordingHead& head,
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
