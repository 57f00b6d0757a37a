#include "../format/guarded.hpp"
#include "compare_ticks.hpp"

#include <isotick/core/detail/try.hpp>
#include <isotick/replay/compare.hpp>

#include <utility>

namespace isotick::replay {
namespace {

using core::Result;
using What = SessionDifference::What;

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

// Steps through the ticks of one recording.
class TickCursor {
  public:
    explicit TickCursor(Reader& reader) : reader_(reader) {}

    // Moves to the next tick; false at the end of the intact prefix.
    Result<bool> advance() {
        if (chunk_ != nullptr && ++i_ < chunk_->ticks()) {
            return true;
        }
        i_ = 0;
        ISOTICK_TRY_ASSIGN(chunk_, reader_.next());
        ticks_ += chunk_ == nullptr ? 0 : chunk_->ticks();
        return chunk_ != nullptr;
    }

    // Reads the rest and says how many ticks there were.
    Result<std::uint64_t> count_all() {
        for (;;) {
            i_ = chunk_ == nullptr ? 0 : chunk_->ticks();
            ISOTICK_TRY_ASSIGN(const auto moved, advance());
            if (!moved) {
                return ticks_;
            }
        }
    }

    [[nodiscard]] const TickChunk& chunk() const { return *chunk_; }
    [[nodiscard]] std::uint32_t i() const { return i_; }

  private:
    Reader& reader_;
    const TickChunk* chunk_ = nullptr;
    std::uint32_t i_ = 0;
    std::uint64_t ticks_ = 0;
};

// Moves both to the next tick; false where one has none.
Result<bool> advance_both(TickCursor& a, TickCursor& b) {
    const auto more = a.advance();
    return more && *more ? b.advance() : more;
}

Result<void> finish_side(TickCursor& cursor, const Reader& reader, ComparedFile& side) {
    ISOTICK_TRY_ASSIGN(side.ticks, cursor.count_all());
    side.finished = reader.saw_last();
    side.damage = reader.damage();
    side.tail_damage = reader.tail_damage();
    return {};
}

}  // namespace

Result<void> compare_through(Reader& a, Reader& b, Comparison& out) {
    TickComparer ticks(a.head(), b.head(), out);
    ticks.compare_initial(a.initial(), b.initial());
    TickCursor cursor_a(a);
    TickCursor cursor_b(b);
    for (;;) {
        ISOTICK_TRY_ASSIGN(const auto more, advance_both(cursor_a, cursor_b));
        if (!more) {
            break;
        }
        if (ticks.wants_inputs()) {
            ticks.compare_inputs(cursor_a.chunk(), cursor_a.i(), cursor_b.chunk(), cursor_b.i());
            ticks.compare_dts(cursor_a.chunk(), cursor_a.i(), cursor_b.chunk(), cursor_b.i());
        }
        ticks.compare_hashes(cursor_a.chunk(), cursor_a.i(), cursor_b.chunk(), cursor_b.i());
    }
    ISOTICK_TRY(finish_side(cursor_a, a, out.a));
    return finish_side(cursor_b, b, out.b);
}

Result<Comparison> compare(const std::filesystem::path& path_a, const std::filesystem::path& path_b,
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
