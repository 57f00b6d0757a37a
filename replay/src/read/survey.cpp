#include "survey.hpp"

#include "../format/bytes.hpp"
#include "chunk_scan.hpp"

#include <isotick/core/detail/try.hpp>
#include <isotick/replay/detail/survey.hpp>

#include <algorithm>
#include <utility>

namespace isotick::replay {
namespace {

using core::Result;
using Kind = ScannedBlock::Kind;

// Puts what a scan finds into a Survey.
class Surveyor {
  public:
    Surveyor(ChunkFile& file, Survey& survey) : scan_(file), survey_(survey) {}

    Result<void> run() {
        for (;;) {
            ISOTICK_TRY_ASSIGN(auto block, scan_.next());
            if (!block) {
                break;
            }
            take(*block);
        }
        sort_ranges(survey_.surviving);
        return {};
    }

  private:
    void take(ScannedBlock& block) {
        switch (block.kind) {
            case Kind::ticks:
                take_ticks();
                break;
            case Kind::final:
                take_final();
                break;
            case Kind::damage:
                take_damage(block);
                break;
            case Kind::optional:
            case Kind::cut:
                break;
        }
    }

    void take_ticks() {
        const TickChunk& chunk = scan_.ticks();
        const std::uint64_t first = chunk.first_tick().value;
        add_range(survey_.surviving, {{first}, {first + chunk.ticks()}});
        if (!survey_.damages.empty()) {
            return;
        }
        ++survey_.chunks;
        survey_.ticks += chunk.ticks();
        survey_.own_dts += chunk.own_dts();
        for (std::uint32_t i = 0; i < chunk.ticks(); ++i) {
            survey_.stored_hashes += chunk.state_hash(i) ? 1U : 0U;
        }
        survey_.session_digest = chunk.session_digest();
        survey_.hash_digest = chunk.hash_digest();
    }

    void take_final() {
        if (survey_.damages.empty()) {
            survey_.finished = true;
            survey_.stored_hashes += scan_.final().state ? 1U : 0U;
            survey_.hash_digest = scan_.final().hash_digest;
        }
    }

    void take_damage(ScannedBlock& block) {
        Damage damage{block.offset, std::move(block.reason)};
        if (survey_.finished) {
            if (!block.is_skipped_damage() && !damaged_behind_end_) {
                damaged_behind_end_ = true;
                survey_.tail_damage = std::move(damage);
            }
        } else if (!survey_.damages.empty() || !block.is_skipped_damage()) {
            survey_.damages.push_back(std::move(damage));
        }
    }

    ChunkScan scan_;
    Survey& survey_;
    bool damaged_behind_end_ = false;  // which costs no tick
};

}  // namespace

Result<Survey> survey(const std::string& path) {
    return guarded([&]() -> Result<Survey> {
        ISOTICK_TRY_ASSIGN(auto opened, open_with_tail(path));
        ChunkFile& file = opened.file;
        FoundTail& tail = opened.tail;
        Survey survey;
        survey.head = file.head().head;
        survey.bytes = file.size();
        survey.has_tail = tail.index.has_value();
        survey.tail_damage = std::move(tail.damage);
        ChunkChain nothing(file.head());
        survey.session_digest = nothing.session_digest();
        survey.hash_digest = nothing.hash_digest();
        ISOTICK_TRY(Surveyor(file, survey).run());
        return survey;
    });
}

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

Result<SurvivingChunks> SurvivingChunks::open(const std::string& path) {
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
            impl_->saw_last = found.is(Kind::final) && impl_->scan.ended();
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
            ISOTICK_TRY(impl_->scan.merge_final_behind());
            return &chunk;
        }
        return nullptr;
    });
}

const std::vector<Damage>& SurvivingChunks::damages() const {
    return impl_->damages;
}

}  // namespace isotick::replay
