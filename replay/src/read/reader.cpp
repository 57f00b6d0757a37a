#include "../format/bytes.hpp"
#include "chunk_chain.hpp"
#include "chunk_file.hpp"
#include "chunk_scan.hpp"

#include <isotick/core/detail/try.hpp>
#include <isotick/replay/reader.hpp>

#include <utility>
#include <vector>

namespace isotick::replay {
namespace {

using core::ErrorCode;
using core::Result;

}  // namespace

struct Reader::Impl {
    explicit Impl(ChunkFile&& opened) : file(std::move(opened)), chain(file.head()) {}

    void rewind();
    [[nodiscard]] Result<const TickChunk*> next();
    [[nodiscard]] Result<const TickChunk*> take_ticks(const FoundChunk& found);
    [[nodiscard]] Result<std::string> take_final(const FoundChunk& found, bool merge);
    [[nodiscard]] const TickChunk* stop(std::uint64_t offset, const std::string& reason);
    [[nodiscard]] Result<const TickChunk*> stop_without_chunk(const FoundChunk& found);
    [[nodiscard]] Result<void> walk();
    [[nodiscard]] std::uint64_t start_of(std::uint64_t n) const { return n * file.chunk_ticks(); }
    [[nodiscard]] Result<const TickChunk*> chunk_at(std::uint64_t n);

    ChunkFile file;
    TickChunk chunk;
    std::uint64_t chunks_read = 0;
    std::optional<ChunkIndex> index;
    std::optional<Damage> tail_damage;
    std::optional<std::vector<std::uint64_t>> walked;  // offsets, where there is no index

    // Where next is.
    std::uint64_t position = 0;
    bool stopped = false;
    bool saw_last = false;
    std::optional<Damage> damage;
    ChunkChain chain;
};

void Reader::Impl::rewind() {
    position = file.head().size;
    stopped = false;
    saw_last = false;
    damage.reset();
    chain = ChunkChain(file.head());
}

// Ends sequential reading. Behind the last tick only the tail can be damaged.
const TickChunk* Reader::Impl::stop(std::uint64_t offset, const std::string& reason) {
    stopped = true;
    if (!reason.empty()) {
        (saw_last ? tail_damage : damage) = Damage{offset, reason};
    }
    return nullptr;
}

Result<const TickChunk*> Reader::Impl::stop_without_chunk(const FoundChunk& found) {
    MarkerSearch search(file);
    ISOTICK_TRY_ASSIGN(const bool is_end, search.is_end(found));
    return stop(found.offset, is_end ? std::string() : found.reason);
}

Result<const TickChunk*> Reader::Impl::next() {
    while (!stopped) {
        ISOTICK_TRY_ASSIGN(const auto found, file.find_required(position));
        position = found.offset;
        if (!found.header) {
            return stop_without_chunk(found);
        }
        if (saw_last) {
            return stop(position, kTicksBehindTheLast);
        }
        if (found.header->type == kTickChunk) {
            return take_ticks(found);
        }
        // Not merged into a chunk before: a recording of no ticks, or damaged.
        ISOTICK_TRY_ASSIGN(const auto reason, take_final(found, false));
        if (!reason.empty()) {
            return stop(position, reason);
        }
    }
    return nullptr;
}

Result<const TickChunk*> Reader::Impl::take_ticks(const FoundChunk& found) {
    ISOTICK_TRY_ASSIGN(const auto reason, file.read_ticks(found, chain.next_tick(), chunk));
    if (!reason.empty()) {
        return stop(found.offset, reason);
    }
    ++chunks_read;
    if (!chain.take(chunk)) {
        return stop(found.offset, kBrokenChain);
    }
    position = found.end();
    const auto behind = file.find_required(position);
    // What is wrong with it, or that no reader of this version knows it, the next call tells.
    if (!behind && behind.error().code != ErrorCode::version) {
        return tl::unexpected(behind.error());
    }
    if (behind && behind->header && behind->header->type == kFinalChunk) {
        ISOTICK_TRY(take_final(*behind, true));
    }
    return &chunk;
}

Result<std::string> Reader::Impl::take_final(const FoundChunk& found, bool merge) {
    FinalHashes final;
    auto reason = file.read_final(found, chain.next_tick(), final);
    if (!reason || !reason->empty()) {
        return reason;
    }
    if (!chain.take(final)) {
        return std::string(kBrokenChain);
    }
    if (merge) {
        merge_final(final, chunk);
    }
    saw_last = true;
    position = found.end();
    return std::string();
}

// Finds the tick chunks by their headers alone, up to the first that is damaged or out of order.
Result<void> Reader::Impl::walk() {
    std::vector<std::uint64_t> offsets;
    for (std::uint64_t at = file.head().size;;) {
        ISOTICK_TRY_ASSIGN(const auto found, file.find(at));
        if (!found.header || found.header->type == kFinalChunk) {
            break;
        }
        at = found.end();
        if (found.header->type == kTickChunk) {
            if (found.header->first != start_of(offsets.size())) {
                break;
            }
            offsets.push_back(found.offset);
        }
    }
    walked = std::move(offsets);
    return {};
}

Result<const TickChunk*> Reader::Impl::chunk_at(std::uint64_t n) {
    const std::vector<std::uint64_t>& offsets = index ? index->offsets : *walked;
    if (n >= offsets.size()) {
        return core::fail(ErrorCode::usage, "there is no chunk " + std::to_string(n));
    }
    const std::uint64_t offset = offsets[static_cast<std::size_t>(n)];
    ISOTICK_TRY_ASSIGN(const auto found, file.find(offset));
    const bool overlaps = found.header && n + 1 < offsets.size() && found.end() > offsets[n + 1];
    if (!found.header || found.header->type != kTickChunk || overlaps) {
        return file.fail(
            ErrorCode::damaged,
            found.header ? "the index points to something that is not a tick chunk" : found.reason,
            offset);
    }
    ISOTICK_TRY_ASSIGN(const auto reason, file.read_ticks(found, start_of(n), chunk));
    if (!reason.empty()) {
        return file.fail(ErrorCode::damaged, reason, offset);
    }
    ++chunks_read;
    if (n + 1 == offsets.size()) {
        ISOTICK_TRY(file.merge_final_behind(found, chunk));
    }
    return &chunk;
}

Result<Reader> Reader::open(const std::filesystem::path& path) {
    return guarded([&]() -> Result<Reader> {
        ISOTICK_TRY_ASSIGN(auto opened, open_with_tail(path));
        auto impl = std::make_unique<Impl>(std::move(opened.file));
        impl->index = std::move(opened.tail.index);
        impl->tail_damage = std::move(opened.tail.damage);
        impl->rewind();
        return Reader(std::move(impl));
    });
}

Reader::Reader(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Reader::~Reader() = default;
Reader::Reader(Reader&&) noexcept = default;
Reader& Reader::operator=(Reader&&) noexcept = default;

const RecordingHead& Reader::head() const {
    return impl_->file.head().head;
}

TickHashes Reader::initial() const {
    return {impl_->file.head().initial_state, impl_->file.head().initial_parts};
}

std::uint64_t Reader::file_size() const {
    return impl_->file.size();
}

Result<const TickChunk*> Reader::next() {
    return guarded([this] { return impl_->next(); });
}

void Reader::rewind() {
    impl_->rewind();
}

const std::optional<Damage>& Reader::damage() const {
    return impl_->damage;
}

bool Reader::saw_last() const {
    return impl_->saw_last;
}

bool Reader::is_unfinished() const {
    return impl_->stopped && !impl_->saw_last && !impl_->damage;
}

bool Reader::has_tail() const {
    return impl_->index.has_value();
}

const std::optional<Damage>& Reader::tail_damage() const {
    return impl_->tail_damage;
}

std::optional<std::uint64_t> Reader::indexed_ticks() const {
    return impl_->index ? std::optional(impl_->index->ticks) : std::nullopt;
}

Result<std::uint64_t> Reader::chunk_count() {
    if (impl_->index) {
        return impl_->index->offsets.size();
    }
    return guarded([this]() -> Result<std::uint64_t> {
        if (!impl_->walked) {
            ISOTICK_TRY(impl_->walk());
        }
        return impl_->walked->size();
    });
}

Result<const TickChunk*> Reader::chunk(std::uint64_t n) {
    ISOTICK_TRY(chunk_count());
    return guarded([&] { return impl_->chunk_at(n); });
}

std::uint64_t Reader::chunks_read() const {
    return impl_->chunks_read;
}

std::string_view unfinished_text() {
    return "unfinished: the writer was interrupted, or the file was cut";
}

}  // namespace isotick::replay
