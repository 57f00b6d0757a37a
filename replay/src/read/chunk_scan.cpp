#include "chunk_scan.hpp"

#include <isotick/core/detail/try.hpp>

#include <algorithm>
#include <utility>

namespace isotick::replay {
namespace {

using core::Result;
using Kind = ScannedBlock::Kind;

constexpr const char* kTicksBehindTheLast = "there are more ticks after the last";
constexpr const char* kBrokenChain = "a chunk's digests do not continue those before it";

std::string wrong_start(std::uint64_t first, std::uint64_t expected) {
    return "a chunk starts at tick " + std::to_string(first) + " instead of " +
           std::to_string(expected);
}

std::string wrong_count(std::uint64_t ticks, std::uint64_t expected) {
    return "the final chunk counts " + std::to_string(ticks) + " ticks instead of " +
           std::to_string(expected);
}

}  // namespace

Result<std::optional<ScannedBlock>> ChunkScan::next() {
    if (pending_) {
        return std::exchange(pending_, std::nullopt);
    }
    if (position_ >= file_.size()) {
        return std::nullopt;
    }
    ISOTICK_TRY_ASSIGN(auto block, look());
    if (block.is(Kind::damage) && !block.is_skipped_damage() && is_too_much(block)) {
        pending_.reset();
        block.header.reset();
        block.end = file_.size();
        block.reason += "; too much of the file is damaged to look further";
    }
    position_ = pending_ ? pending_->end : block.end;
    after_damage_ = block.is(Kind::damage) && !block.is_skipped_damage() && !pending_;
    return block;
}

bool ChunkScan::is_too_much(const ScannedBlock& damage) {
    ++damages_;
    damaged_payload_ += damage.header ? damage.header->payload_size : 0;
    return damages_ >= kMostDamages || damaged_payload_ > kMostDamagedPayload * file_.size();
}

void ChunkScan::start_at(std::uint64_t offset, std::uint64_t first_tick) {
    position_ = offset;
    chain_intact_ = false;
    expected_ = first_tick;
    loose_end_ = first_tick;
}

Result<bool> ChunkScan::merge_final_behind() {
    const auto behind = file_.find_required(position_);
    if (!behind && behind.error().code == core::ErrorCode::version) {
        return false;  // which next() tells when it gets there
    }
    if (!behind || !behind->header || behind->header->type != kFinalChunk ||
        behind->header->first != expected_) {
        return behind.map([](const FoundChunk&) { return false; });
    }
    ISOTICK_TRY_ASSIGN(judged_final_, judge_final(*behind));
    // Unless it adds hashes of its own, it repeats the digest of those before it.
    const bool adds_hashes = final_.state || !final_.parts.empty();
    if (!judged_final_->is(Kind::final) ||
        (!adds_hashes && final_.hash_digest != chunk_.hash_digest())) {
        return false;
    }
    merge_final(final_, chunk_);
    return true;
}

Result<ScannedBlock> ChunkScan::look() {
    if (judged_final_ && judged_final_->offset == position_) {
        return *std::exchange(judged_final_, std::nullopt);
    }
    ISOTICK_TRY_ASSIGN(const auto found, file_.find(position_));
    return found.header ? judge(found) : damaged(found, found.reason);
}

Result<ScannedBlock> ChunkScan::judge(const FoundChunk& found) {
    const std::uint8_t type = found.header->type;
    if (is_optional(type)) {
        return judge_optional(found);
    }
    if (ended_) {
        return damaged(found, kTicksBehindTheLast);
    }
    return type == kTickChunk ? judge_ticks(found) : judge_final(found);
}

// Its length is believed even where its payload is damaged.
Result<ScannedBlock> ChunkScan::judge_optional(const FoundChunk& found) {
    ISOTICK_TRY_ASSIGN(auto reason, file_.check_payload(found));
    ScannedBlock block = intact(Kind::optional, found, false);
    if (!reason.empty()) {
        block.kind = Kind::damage;
        block.reason = std::move(reason);
    }
    return block;
}

Result<ScannedBlock> ChunkScan::judge_ticks(const FoundChunk& found) {
    const std::uint64_t first = found.header->first;
    const bool continues = chain_intact_ && first == chain_.next_tick();
    const std::uint64_t least = std::max(chain_intact_ ? chain_.next_tick() : 0, loose_end_);
    const bool is_placed =
        first % file_.chunk_ticks() == 0 && first <= kLastChunkStart && first >= least;
    if (!continues && !is_placed) {
        return damaged(found, wrong_start(first, expected_));
    }
    ISOTICK_TRY_ASSIGN(auto reason, file_.read_ticks(found, chunk_));
    if (!reason.empty()) {
        return damaged(found, std::move(reason));
    }
    if (continues && !chain_.take(chunk_)) {
        chain_intact_ = false;
        loose_end_ = std::max(loose_end_, first);
        return damaged(found, kBrokenChain);
    }
    ScannedBlock block = intact(Kind::ticks, found, continues);
    const std::uint64_t end = first + chunk_.ticks();
    const std::uint64_t expected = std::exchange(expected_, end);
    latest_ = chunk_.session_digest();
    if (continues) {
        return block;
    }
    loose_end_ = end;
    return first == expected ? block : behind_gap(std::move(block), wrong_start(first, expected));
}

Result<ScannedBlock> ChunkScan::judge_final(const FoundChunk& found) {
    const std::uint64_t ticks = found.header->first;
    const bool continues = chain_intact_ && ticks == chain_.next_tick();
    if (!continues && ticks < expected_) {
        return damaged(found, wrong_count(ticks, expected_));
    }
    ISOTICK_TRY_ASSIGN(auto reason, file_.read_final(found, final_));
    if (!reason.empty()) {
        return damaged(found, std::move(reason));
    }
    if (continues && !chain_.take(final_)) {
        chain_intact_ = false;
        return damaged(found, kBrokenChain);
    }
    if (!continues && ticks == expected_ && latest_ && *latest_ != final_.session_digest) {
        return damaged(found, kBrokenChain);
    }
    ScannedBlock block = intact(Kind::final, found, continues);
    if (continues || ticks == expected_) {
        ended_ = true;
        return block;
    }
    return behind_gap(std::move(block), wrong_count(ticks, expected_));
}

ScannedBlock ChunkScan::intact(Kind kind, const FoundChunk& found, bool proven) {
    return {kind, found.offset, found.end(), found.header, {}, proven};
}

Result<ScannedBlock> ChunkScan::damaged(const FoundChunk& found, std::string reason) {
    ISOTICK_TRY_ASSIGN(const auto end, search_.next(found.offset + 1));
    if (found.is_cut && end == file_.size()) {
        return ScannedBlock{Kind::cut, found.offset, end, {}, std::move(reason), false};
    }
    return ScannedBlock{Kind::damage, found.offset, end, found.header, std::move(reason), false};
}

// Where damage was told already, it explains what is missing.
ScannedBlock ChunkScan::behind_gap(ScannedBlock block, std::string reason) {
    if (after_damage_) {
        return block;
    }
    ScannedBlock gap{Kind::damage, block.offset, block.offset, {}, std::move(reason), false};
    pending_ = std::move(block);
    return gap;
}

}  // namespace isotick::replay
