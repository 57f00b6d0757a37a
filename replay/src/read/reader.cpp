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
using Kind = ScannedBlock::Kind;

}  // namespace

struct Reader::Impl {
    explicit Impl(ChunkFile&& opened) : file(std::move(opened)) { rewind(); }

    void rewind();
    [[nodiscard]] Result<const TickChunk*> next();
    [[nodiscard]] Result<void> walk();
    [[nodiscard]] std::uint64_t start_of(std::uint64_t n) const { return n * file.chunk_ticks(); }
    [[nodiscard]] Result<const TickChunk*> chunk_at(std::uint64_t n);

    ChunkFile file;
    std::optional<ChunkIndex> index;
    std::optional<Damage> tail_damage;
    std::optional<std::vector<std::uint64_t>> walked;  // offsets, where there is no index
    std::optional<ChunkScan> single;                   // of the latest chunk_at

    // Where next is.
    std::optional<ChunkScan> scan;
    bool stopped = false;
    bool saw_last = false;
    std::optional<Damage> damage;
};

void Reader::Impl::rewind() {
    scan.emplace(file);
    stopped = false;
    saw_last = false;
    damage.reset();
}

Result<const TickChunk*> Reader::Impl::next() {
    while (!stopped) {
        ISOTICK_TRY_ASSIGN(auto block, scan->next());
        if (!block || block->is(Kind::cut)) {
            stopped = true;
        } else if (block->is(Kind::ticks)) {
            ISOTICK_TRY_ASSIGN(saw_last, scan->merge_final_behind());
            return &scan->ticks();
        } else if (block->is(Kind::final)) {
            saw_last = true;
        } else if (block->is(Kind::damage) && !block->is_skipped_damage()) {
            stopped = true;
            // Behind the last tick only the tail can be damaged.
            (saw_last ? tail_damage : damage) = Damage{block->offset, std::move(block->reason)};
        }
    }
    return nullptr;
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
    const bool is_last = n + 1 == offsets.size();
    const bool overlaps = found.header && !is_last && found.end() > offsets[n + 1];
    if (!found.header || found.header->type != kTickChunk || overlaps) {
        return file.fail(
            ErrorCode::damaged,
            found.header ? "the index points to something that is not a tick chunk" : found.reason,
            offset);
    }
    single.emplace(file).start_at(offset, start_of(n));
    ISOTICK_TRY_ASSIGN(const auto block, single->next());
    if (!block || !block->is(Kind::ticks)) {
        return file.fail(ErrorCode::damaged, block ? block->reason : found.reason, offset);
    }
    if (is_last) {
        ISOTICK_TRY(single->merge_final_behind());
    }
    return &single->ticks();
}

Result<Reader> Reader::open(const std::string& path) {
    return guarded([&]() -> Result<Reader> {
        ISOTICK_TRY_ASSIGN(auto opened, open_with_tail(path));
        auto impl = std::make_unique<Impl>(std::move(opened.file));
        impl->index = std::move(opened.tail.index);
        impl->tail_damage = std::move(opened.tail.damage);
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
    return impl_->file.chunks_read();
}

std::string_view unfinished_text() {
    return "unfinished: the writer was interrupted, or the file was cut";
}

}  // namespace isotick::replay
