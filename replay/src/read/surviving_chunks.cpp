#include "../format/guarded.hpp"
#include "chunk_scan.hpp"

#include <isotick/core/detail/try.hpp>
#include <isotick/replay/detail/surviving_chunks.hpp>

#include <algorithm>
#include <utility>

namespace isotick::replay {

using core::Result;
using Kind = ScannedBlock::Kind;

struct SurvivingChunks::Impl {
    Impl(ChunkFile&& opened, std::optional<ChunkIndex>&& found)
        : file(std::move(opened)), index(std::move(found)), scan(file) {}

    [[nodiscard]] Result<std::uint64_t> scan_for_end();

    ChunkFile file;
    std::optional<ChunkIndex> index;
    ChunkScan scan;
    std::uint64_t next_tick = 0;
    bool saw_last = false;
    std::vector<Damage> damages;
};

Result<std::uint64_t> SurvivingChunks::Impl::scan_for_end() {
    ChunkScan whole(file);
    std::uint64_t end = 0;
    for (;;) {
        ISOTICK_TRY_ASSIGN(const auto block, whole.next());
        if (!block) {
            return end;
        }
        if (block->is(Kind::ticks)) {
            end = std::max(end, whole.ticks().first_tick().value + whole.ticks().ticks());
        }
    }
}

Result<SurvivingChunks> SurvivingChunks::open(const std::filesystem::path& path) {
    return guarded([&]() -> Result<SurvivingChunks> {
        ISOTICK_TRY_ASSIGN(auto opened, open_with_tail(path));
        return SurvivingChunks(
            std::make_unique<Impl>(std::move(opened.file), std::move(opened.tail.index)));
    });
}

SurvivingChunks::SurvivingChunks(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
SurvivingChunks::~SurvivingChunks() = default;
SurvivingChunks::SurvivingChunks(SurvivingChunks&&) noexcept = default;
SurvivingChunks& SurvivingChunks::operator=(SurvivingChunks&&) noexcept = default;

const RecordingHead& SurvivingChunks::head() const {
    return impl_->file.head().head;
}

Result<TickRange> SurvivingChunks::extent() {
    return guarded([&]() -> Result<TickRange> {
        const auto end =
            impl_->index ? Result<std::uint64_t>(impl_->index->ticks) : impl_->scan_for_end();
        return end.map([](std::uint64_t tick) { return TickRange{{}, {tick}}; });
    });
}

Result<void> SurvivingChunks::seek(core::Tick tick) {
    return guarded([&]() -> Result<void> {
        ChunkFile& file = impl_->file;
        if (!impl_->index) {
            return {};
        }
        const std::vector<std::uint64_t>& offsets = impl_->index->offsets;
        const std::uint64_t wanted = tick.value / file.chunk_ticks();
        for (auto n = std::min<std::uint64_t>(wanted + 1, offsets.size()); n-- > 0;) {
            const std::uint64_t start = n * file.chunk_ticks();
            ISOTICK_TRY_ASSIGN(const auto found,
                               file.look_at(offsets[static_cast<std::size_t>(n)]));
            const auto& header = found.header;
            if (header && header->type == kTickChunk && header->first == start) {
                impl_->scan.start_at(found.offset, start);
                return {};
            }
        }
        return {};
    });
}

Result<const TickChunk*> SurvivingChunks::next() {
    return guarded([&]() -> Result<const TickChunk*> {
        impl_->damages.clear();
        while (!impl_->saw_last) {
            ISOTICK_TRY_ASSIGN(auto block, impl_->scan.next());
            if (!block) {
                break;
            }
            const ScannedBlock& found = *block;
            impl_->saw_last = found.is(Kind::final);
            if (found.is(Kind::damage) && !found.is_skipped_damage()) {
                impl_->damages.push_back({found.offset, found.reason});
            }
            if (!found.is(Kind::ticks)) {
                continue;
            }
            TickChunk& chunk = impl_->scan.ticks();
            if (chunk.first_tick().value < impl_->next_tick) {
                continue;  // out of order: found where it cannot be shown any more
            }
            impl_->next_tick = chunk.first_tick().value + chunk.ticks();
            const FoundChunk here{found.offset, found.header, {}};
            ISOTICK_TRY(impl_->file.merge_final_behind(here, chunk));
            return &chunk;
        }
        return nullptr;
    });
}

const std::vector<Damage>& SurvivingChunks::damages() const {
    return impl_->damages;
}

}  // namespace isotick::replay
