#include "compare_ticks.hpp"

#include <isotick/core/detail/try.hpp>

#include <algorithm>
#include <numeric>
#include <utility>

namespace isotick::replay {
namespace {

using core::Result;

// After how many ticks before `end` a state hash is due.
std::uint64_t count_due(const HashStride& stride, std::uint64_t end) {
    const std::uint64_t states = end / stride.hash_every;
    if (!stride.has_parts()) {
        return states;
    }
    const std::uint64_t both =
        std::lcm(std::uint64_t{stride.hash_every}, std::uint64_t{stride.parts_every});
    return states + end / stride.parts_every - end / both;
}

// The last tick before `end` with a stored hash.
std::optional<core::Tick> last_due(const HashStride& stride, std::uint64_t end) {
    std::uint64_t done = end - end % stride.hash_every;
    if (stride.has_parts()) {
        done = std::max(done, end - end % stride.parts_every);
    }
    return done == 0 ? std::nullopt : std::optional(core::Tick{done - 1});
}

class DigestSearch {
  public:
    DigestSearch(Reader& a, Reader& b, Comparison& out)
        : a_(a), b_(b), out_(out), ticks_(a.head(), b.head(), out) {}

    Result<void> run() {
        ISOTICK_TRY_ASSIGN(count_a_, a_.chunk_count());
        ISOTICK_TRY_ASSIGN(count_b_, b_.chunk_count());
        common_ = std::min(count_a_, count_b_);
        ticks_.compare_initial(a_.initial(), b_.initial());
        ISOTICK_TRY(search_inputs());
        return search_hashes();
    }

  private:
    struct Equal {
        bool session;
        bool hashes;
    };

    // Whether the digests at the end of chunk n are equal.
    Result<Equal> equal_at(std::uint64_t n) {
        const auto known = std::find_if(known_.begin(), known_.end(),
                                        [&](const auto& entry) { return entry.first == n; });
        if (known != known_.end()) {
            return known->second;
        }
        ISOTICK_TRY(load(n));
        const Equal equal{chunk_a_->session_digest() == chunk_b_->session_digest(),
                          chunk_a_->hash_digest() == chunk_b_->hash_digest()};
        known_.emplace_back(n, equal);
        return equal;
    }

    Result<void> load(std::uint64_t n) {
        ISOTICK_TRY_ASSIGN(const auto a, a_.chunk(n));
        ISOTICK_TRY_ASSIGN(const auto b, b_.chunk(n));
        chunk_a_ = a;
        chunk_b_ = b;
        const bool has_ends =
            (n + 1 < count_a_ || chunk_a_->is_last()) && (n + 1 < count_b_ || chunk_b_->is_last());
        return has_ends ? Result<void>() : no_search("the final chunk does not follow the last");
    }

    // The first chunk at whose end the digests differ; common_ where none.
    Result<std::uint64_t> first_difference(bool Equal::*which) {
        std::uint64_t low = 0;
        std::uint64_t high = common_;
        while (low < high) {
            // The last chunk first: most recordings that are compared are equal.
            const std::uint64_t middle =
                high == common_ && low == 0 ? high - 1 : low + (high - low) / 2;
            ISOTICK_TRY_ASSIGN(const auto equal, equal_at(middle));
            if (equal.*which) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return low;
    }

    [[nodiscard]] std::uint32_t common_ticks() const {
        return std::min(chunk_a_->ticks(), chunk_b_->ticks());
    }

    Result<void> search_inputs() {
        if (!ticks_.wants_inputs()) {
            return {};
        }
        ISOTICK_TRY_ASSIGN(const auto n, first_difference(&Equal::session));
        if (n == common_) {
            return {};
        }
        ISOTICK_TRY(load(n));
        for (std::uint32_t i = 0; i < common_ticks() && ticks_.wants_inputs(); ++i) {
            ticks_.compare_inputs(*chunk_a_, i, *chunk_b_, i);
            ticks_.compare_dts(*chunk_a_, i, *chunk_b_, i);
        }
        return check_found(!ticks_.wants_inputs());
    }

    // Digests that differ over ticks that do not are not the digests of these ticks.
    [[nodiscard]] Result<void> check_found(bool is_found) const {
        return is_found || chunk_a_->ticks() != chunk_b_->ticks() ||
                       chunk_a_->is_last() != chunk_b_->is_last()
                   ? Result<void>()
                   : no_search("a chunk's digests are not its own");
    }

    static Result<void> no_search(const char* why) {
        return core::fail(core::ErrorCode::damaged, why);
    }

    Result<void> search_hashes() {
        std::uint64_t n = 0;
        if (ticks_.wants_hashes()) {
            ISOTICK_TRY_ASSIGN(n, first_difference(&Equal::hashes));
            const std::uint64_t equal_ticks = std::min({n * chunk_ticks(a_.head().session.rate),
                                                        *a_.indexed_ticks(), *b_.indexed_ticks()});
            out_.hashes_compared += count_due(a_.head().stride(), equal_ticks);
            // After its last tick a recording has one that is not due too.
            const bool both_end = a_.indexed_ticks() == b_.indexed_ticks();
            if (n == common_ && both_end && equal_ticks != 0 &&
                !a_.head().stride().hash_due(core::Tick{equal_ticks - 1})) {
                ++out_.hashes_compared;
            }
        }
        while (n < common_ && (ticks_.wants_hashes() || ticks_.wants_parts())) {
            ISOTICK_TRY(load(n++));
            for (std::uint32_t i = 0; i < common_ticks(); ++i) {
                ticks_.compare_hashes(*chunk_a_, i, *chunk_b_, i);
            }
            ISOTICK_TRY(check_found(!ticks_.wants_hashes()));
        }
        if (out_.hashes && out_.hashes->tick && !out_.hashes->last_equal) {
            out_.hashes->last_equal = last_due(a_.head().stride(), out_.hashes->tick->value);
        }
        return {};
    }

    Reader& a_;
    Reader& b_;
    Comparison& out_;
    TickComparer ticks_;
    std::uint64_t count_a_ = 0;
    std::uint64_t count_b_ = 0;
    std::uint64_t common_ = 0;
    std::vector<std::pair<std::uint64_t, Equal>> known_;
    const TickChunk* chunk_a_ = nullptr;
    const TickChunk* chunk_b_ = nullptr;
};

}  // namespace

Result<bool> compare_by_digests(Reader& a, Reader& b, Comparison& out) {
    const auto ticks_a = a.indexed_ticks();
    const auto ticks_b = b.indexed_ticks();
    const bool searchable = ticks_a && ticks_b && a.head().session == b.head().session &&
                            a.head().stride() == b.head().stride();
    if (!searchable) {
        return false;
    }
    Comparison found = out;
    if (auto searched = DigestSearch(a, b, found).run(); !searched) {
        if (searched.error().code == core::ErrorCode::damaged) {
            return false;
        }
        return tl::unexpected(searched.error());
    }
    out = std::move(found);
    out.a.ticks = *ticks_a;
    out.b.ticks = *ticks_b;
    out.a.finished = true;
    out.b.finished = true;
    return true;
}

}  // namespace isotick::replay
