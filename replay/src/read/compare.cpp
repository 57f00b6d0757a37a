// Compares two recordings, by digests or tick by tick.

#include "../format/bytes.hpp"

#include <isotick/core/detail/try.hpp>
#include <isotick/core/plugin.h>
#include <isotick/replay/compare.hpp>
#include <isotick/replay/detail/recorded_ticks.hpp>
#include <isotick/replay/detail/tick_chunk.hpp>
#include <isotick/replay/reader.hpp>

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <optional>
#include <span>
#include <utility>

namespace isotick::replay {
namespace {

using core::Result;
using What = SessionDifference::What;

/// Compares ticks one by one, in order, and writes the first differences into a Comparison.
class TickComparer {
  public:
    TickComparer(const RecordingHead& a, const RecordingHead& b, Comparison& out);

    /// The hashes before tick 0.
    void compare_initial(const TickHashes& a, const TickHashes& b);
    /// The inputs and dts of the same tick of both sides: the i-th of `a`, the k-th of `b`. Those
    /// before it in these chunks were compared.
    void compare_session(const TickChunk& a, std::uint32_t i, const TickChunk& b, std::uint32_t k);
    /// The hashes after it.
    void compare_hashes(const TickChunk& a, std::uint32_t i, const TickChunk& b, std::uint32_t k);

    /// True while the first difference of inputs or dts is still looked for.
    [[nodiscard]] bool wants_session() const { return wants_session_; }
    /// True while the first difference of hashes is still looked for.
    [[nodiscard]] bool wants_hashes() const { return wants_hashes_; }
    /// True while part hashes are looked for to tell which parts differ.
    [[nodiscard]] bool wants_parts() const { return wants_parts_; }

  private:
    // Of the same state hash; true where they cannot be compared.
    [[nodiscard]] bool are_same(std::span<const core::PartHash> a,
                                std::span<const core::PartHash> b) const;
    void differ(std::optional<core::Tick> tick, core::StateHash a, core::StateHash b);
    void name_parts(std::optional<core::Tick> tick, std::span<const core::PartHash> a,
                    std::span<const core::PartHash> b);

    const RecordingHead& head_;
    Comparison& out_;
    bool same_parts_;
    bool wants_session_;
    bool wants_hashes_;
    bool wants_parts_ = false;
    std::optional<core::Tick> last_equal_;
    bool initial_equal_ = false;
};

SessionDifference text_difference(What what, std::string a, std::string b) {
    SessionDifference difference;
    difference.what = what;
    difference.text_a = std::move(a);
    difference.text_b = std::move(b);
    return difference;
}

std::optional<std::string> owned(std::optional<std::string_view> text) {
    return text ? std::optional<std::string>(*text) : std::nullopt;
}

// The first key, in order, that has another value or is set on one side only.
std::optional<SessionDifference> config_difference(const core::Settings& a,
                                                   const core::Settings& b) {
    std::optional<std::string> key;
    const auto consider = [&](const core::Settings& own, const core::Settings& other) {
        for (const auto& [name, value] : own.entries()) {
            if (other.find(name) != std::string_view(value)) {
                key = key && *key < name ? *key : name;
                return;
            }
        }
    };
    consider(a, b);
    consider(b, a);
    if (!key) {
        return std::nullopt;
    }
    SessionDifference difference;
    difference.what = What::config;
    difference.config_key = *key;
    difference.text_a = owned(a.find(*key));
    difference.text_b = owned(b.find(*key));
    return difference;
}

std::optional<SessionDifference> info_difference(const SessionInfo& a, const SessionInfo& b) {
    if (a.simulation != b.simulation) {
        return text_difference(What::simulation, a.simulation, b.simulation);
    }
    if (a.rate != b.rate) {
        return text_difference(What::rate, to_string(a.rate), to_string(b.rate));
    }
    if (a.players != b.players) {
        return text_difference(What::players, std::to_string(a.players), std::to_string(b.players));
    }
    if (a.seed != b.seed) {
        return text_difference(What::seed, std::to_string(a.seed), std::to_string(b.seed));
    }
    return config_difference(a.config, b.config);
}

std::string why_incomparable(const RecordingHead& a, const RecordingHead& b) {
    if (a.hash_algorithm != b.hash_algorithm) {
        return "the hashes are of different algorithms, " + a.hash_algorithm + " and " +
               b.hash_algorithm;
    }
    if (a.nan_policy != b.nan_policy) {
        return "the hashes treat NaNs differently, " + a.nan_policy + " and " + b.nan_policy;
    }
    return {};
}

// The first column whose input is another at a tick before which all are the same.
std::optional<std::uint32_t> first_difference(const TickChunk& a, std::uint32_t i,
                                              const TickChunk& b, std::uint32_t k) {
    const auto changes_a = a.changes(i);
    const auto changes_b = b.changes(k);
    const auto [in_a, in_b] = std::ranges::mismatch(
        changes_a, changes_b, [&](const InputChange& left, const InputChange& right) {
            return left.column == right.column && left.code == right.code &&
                   std::ranges::equal(a.bytes_of(left), b.bytes_of(right));
        });
    if (in_a == changes_a.end() || in_b == changes_b.end()) {
        return in_a != changes_a.end()   ? std::optional(in_a->column)
               : in_b != changes_b.end() ? std::optional(in_b->column)
                                         : std::nullopt;
    }
    return std::min(in_a->column, in_b->column);
}

InputBytes bytes_of(const isotick_input& input) {
    if (input.present == 0) {
        return std::nullopt;
    }
    return std::vector<std::uint8_t>(input.data, input.data + input.size);
}

TickComparer::TickComparer(const RecordingHead& a, const RecordingHead& b, Comparison& out)
    : head_(a),
      out_(out),
      same_parts_(a.part_names == b.part_names && a.stride().has_parts()),
      wants_session_(a.session == b.session),
      wants_hashes_(out.incomparable.empty()) {}

void TickComparer::compare_initial(const TickHashes& a, const TickHashes& b) {
    if (!wants_hashes_) {
        return;
    }
    ++out_.hashes_compared;
    initial_equal_ = a.state == b.state && are_same(a.parts, b.parts);
    if (!initial_equal_) {
        differ(std::nullopt, a.state, b.state);
        name_parts(std::nullopt, a.parts, b.parts);
    }
}

void TickComparer::compare_session(const TickChunk& a, std::uint32_t i, const TickChunk& b,
                                   std::uint32_t k) {
    if (!wants_session_) {
        return;
    }
    SessionDifference difference;
    difference.tick = core::Tick{a.first_tick().value + i};
    const auto dt_a = a.dt(i);
    const auto dt_b = b.dt(k);
    if (const auto column = first_difference(a, i, b, k)) {
        difference.what = What::input;
        difference.player = a.inputs(i)[*column].player;
        difference.input_a = bytes_of(a.inputs(i)[*column]);
        difference.input_b = bytes_of(b.inputs(k)[*column]);
    } else if (dt_a != dt_b) {
        const core::TickDt constant(head_.session.rate);
        difference.what = What::dt;
        difference.text_a = to_string(dt_a.value_or(constant));
        difference.text_b = to_string(dt_b.value_or(constant));
    } else {
        return;
    }
    out_.session = std::move(difference);
    wants_session_ = false;
}

void TickComparer::compare_hashes(const TickChunk& a, std::uint32_t i, const TickChunk& b,
                                  std::uint32_t k) {
    const core::Tick tick{a.first_tick().value + i};
    const auto state_a = a.state_hash(i);
    const auto state_b = b.state_hash(k);
    if (wants_hashes_ && state_a && state_b) {
        ++out_.hashes_compared;
        if (*state_a == *state_b && are_same(a.part_hashes(i), b.part_hashes(k))) {
            last_equal_ = tick;
        } else {
            differ(tick, *state_a, *state_b);
        }
    }
    if (wants_parts_) {
        name_parts(tick, a.part_hashes(i), b.part_hashes(k));
    }
}

bool TickComparer::are_same(std::span<const core::PartHash> a,
                            std::span<const core::PartHash> b) const {
    return !same_parts_ || a.empty() || b.empty() || std::ranges::equal(a, b);
}

void TickComparer::differ(std::optional<core::Tick> tick, core::StateHash a, core::StateHash b) {
    HashDifference difference;
    difference.tick = tick;
    difference.a = a;
    difference.b = b;
    difference.last_equal = last_equal_;
    difference.initial_equal = initial_equal_;
    out_.hashes = std::move(difference);
    wants_hashes_ = false;
    wants_parts_ = same_parts_;
}

void TickComparer::name_parts(std::optional<core::Tick> tick, std::span<const core::PartHash> a,
                              std::span<const core::PartHash> b) {
    if (!wants_parts_ || a.empty() || b.empty()) {
        return;
    }
    HashDifference& difference = *out_.hashes;
    difference.has_parts = true;
    difference.parts_tick = tick;
    for (std::size_t n = 0; n < a.size(); ++n) {
        if (a[n] != b[n]) {
            difference.parts.push_back({head_.part_names[n], a[n], b[n]});
        }
    }
    wants_parts_ = false;
}

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
        if (!ticks_.wants_session()) {
            return {};
        }
        ISOTICK_TRY_ASSIGN(const auto n, first_difference(&Equal::session));
        if (n == common_) {
            return {};
        }
        ISOTICK_TRY(load(n));
        for (std::uint32_t i = 0; i < common_ticks() && ticks_.wants_session(); ++i) {
            ticks_.compare_session(*chunk_a_, i, *chunk_b_, i);
        }
        return check_found(!ticks_.wants_session());
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

// False if that cannot be done with these two (no tail, other hash strides, damage met); `out` is
// unchanged then.
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
        // Whatever the index leads to, what counts is what reading from the start comes to.
        return searched.error().code == core::ErrorCode::io
                   ? Result<bool>(tl::unexpected(searched.error()))
                   : false;
    }
    out = std::move(found);
    out.a.ticks = *ticks_a;
    out.b.ticks = *ticks_b;
    out.a.finished = true;
    out.b.finished = true;
    return true;
}

// One side of a comparison of all ticks.
class Side {
  public:
    Side(Reader& reader, ComparedFile& file) : ticks(reader), reader_(reader), file_(file) {}

    // Moves to the next tick; false at the end of the intact prefix.
    Result<bool> advance() {
        return ticks.advance().map([this](bool moved) {
            file_.ticks += moved ? 1U : 0U;
            return moved;
        });
    }

    // Reads the rest.
    Result<void> finish() {
        for (bool more = true; more;) {
            ISOTICK_TRY_ASSIGN(more, advance());
        }
        file_.finished = reader_.saw_last();
        file_.damage = reader_.damage();
        file_.tail_damage = reader_.tail_damage();
        return {};
    }

    RecordedTicks ticks;

  private:
    Reader& reader_;
    ComparedFile& file_;
};

// Moves both to the next tick; false where one has none.
Result<bool> advance_both(Side& a, Side& b) {
    const auto more = a.advance();
    return more && *more ? b.advance() : more;
}

// Reads both through their intact prefixes.
Result<void> compare_through(Reader& a, Reader& b, Comparison& out) {
    TickComparer ticks(a.head(), b.head(), out);
    ticks.compare_initial(a.initial(), b.initial());
    Side side_a(a, out.a);
    Side side_b(b, out.b);
    for (;;) {
        ISOTICK_TRY_ASSIGN(const auto more, advance_both(side_a, side_b));
        if (!more) {
            break;
        }
        const TickChunk& chunk_a = side_a.ticks.chunk();
        const TickChunk& chunk_b = side_b.ticks.chunk();
        ticks.compare_session(chunk_a, side_a.ticks.row(), chunk_b, side_b.ticks.row());
        ticks.compare_hashes(chunk_a, side_a.ticks.row(), chunk_b, side_b.ticks.row());
    }
    ISOTICK_TRY(side_a.finish());
    return side_b.finish();
}

}  // namespace

Result<Comparison> compare(const std::string& path_a, const std::string& path_b,
                           CompareDepth depth) {
    return guarded([&]() -> Result<Comparison> {
        ISOTICK_TRY_ASSIGN(auto a, Reader::open(path_a));
        ISOTICK_TRY_ASSIGN(auto b, Reader::open(path_b));
        Comparison heads;
        heads.session = info_difference(a.head().session, b.head().session);
        heads.incomparable = why_incomparable(a.head(), b.head());
        Comparison comparison = heads;
        ISOTICK_TRY_ASSIGN(comparison.searched, compare_by_digests(a, b, comparison));
        if (!comparison.searched || (!comparison.differs() && depth == CompareDepth::everything)) {
            comparison = std::move(heads);
            ISOTICK_TRY(compare_through(a, b, comparison));
        }
        comparison.a.chunks_read = a.chunks_read();
        comparison.b.chunks_read = b.chunks_read();
        return comparison;
    });
}

}  // namespace isotick::replay
