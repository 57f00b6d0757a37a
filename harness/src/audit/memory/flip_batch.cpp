#include "flip_batch.hpp"

#include "../../platform/shared_memory.hpp"

#include <isotick/core/random.hpp>

#include <algorithm>
#include <utility>

namespace isotick::harness {
namespace {

constexpr std::uint64_t kMostBroken = 8;  // each may have hung for long
constexpr std::size_t kMostBreaks = 4;
constexpr std::size_t kMostUnseen = 8;

// Classes are added up by path, the bits of a class being neighbors.
void add_flip(FlipFacts& facts, FlipFacts more) {
    for (FlippedClass& one : more.classes) {
        if (facts.classes.empty() || facts.classes.back().path != one.path) {
            facts.classes.push_back(std::move(one));
            continue;
        }
        FlippedClass& known = facts.classes.back();
        known.tried += one.tried;
        known.unseen += one.unseen;
        known.sticky = known.sticky || one.sticky;
    }
    facts.snapshot_tried += more.snapshot_tried;
    facts.snapshot_taken += more.snapshot_taken;
    facts.snapshot_idle += more.snapshot_idle;
    auto& unseen = facts.snapshot_unseen;
    for (std::string& what : more.snapshot_unseen) {
        if (unseen.size() < kMostUnseen && std::ranges::find(unseen, what) == unseen.end()) {
            unseen.push_back(std::move(what));
        }
    }
}

// None where no bit broke the copy.
std::optional<SceneEnd> flip_some(Stage& stage, const FlipBatch& batch, std::size_t from,
                                  std::size_t to, FlipFacts& facts,
                                  std::atomic<std::size_t>& current) {
    current = from;
    auto flipped = stage.play(facts.at, Tampering::yes, [&](Stage::Instance& original) {
        FlipFacts some;
        some.at = facts.at;
        return batch.flip(original, from, to, current, some).map([&] { return some; });
    });
    if (!flipped) {
        return std::move(flipped.error());
    }
    add_flip(facts, *std::move(flipped));
    return std::nullopt;
}

}  // namespace

void flip_all(Stage& stage, const FlipBatch& batch, FlipFacts& facts) {
    const auto shared = Shared<std::atomic<std::size_t>>::make();  // copies write it
    std::atomic<std::size_t>* const current = shared.get();
    std::uint64_t left = kMostBroken;
    for (std::size_t from = 0; current != nullptr && from < batch.count;) {
        const auto end = flip_some(stage, batch, from, batch.count, facts, *current);
        if (!end) {
            return;
        }
        const std::size_t broken = std::clamp<std::size_t>(*current, from, batch.count - 1);
        ++facts.broken;
        if (facts.breaks.size() < kMostBreaks) {
            facts.breaks.push_back({batch.name(broken), end->reason});
        }
        if (broken > from) {  // once more, to its end
            flip_some(stage, batch, from, broken, facts, *current);
        }
        if (--left == 0) {
            return;
        }
        from = broken + 1;
    }
}

DrawnBit draw_bit(std::uint64_t seed, std::size_t number, std::uint64_t size) {
    core::Pcg32 random(core::derive_seed(seed, {number}), 0);
    const auto most = static_cast<std::uint32_t>(std::min<std::uint64_t>(size, 1U << 30));
    const std::uint32_t byte = random.below(std::max(most, 1U));
    return {byte, random.below(8)};
}

}  // namespace isotick::harness
