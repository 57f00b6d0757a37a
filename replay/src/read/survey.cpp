#include "../format/guarded.hpp"
#include "chunk_scan.hpp"
#include "tick_ranges.hpp"

#include <isotick/core/detail/try.hpp>
#include <isotick/replay/detail/survey.hpp>

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

Result<Survey> survey(const std::filesystem::path& path) {
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

}  // namespace isotick::replay
