#include "diverged_ticks.hpp"

#include "../system/files.hpp"

#include <isotick/core/detail/bytes.hpp>
#include <isotick/core/detail/try.hpp>
#include <isotick/replay/compare.hpp>
#include <isotick/replay/detail/recorded_ticks.hpp>

#include <algorithm>
#include <utility>

namespace isotick::harness {
namespace {

using core::ErrorCode;
using core::Result;
using core::StateHash;

/// A build that has played the session, and the hash of every state that it came to.
struct Played {
    TrialResult result;
    SharedFile column;
};

Result<Played> play(const std::string& session, const TrialRunner& build,
                    const core::Settings& environment, std::optional<core::Tick> until) {
    ISOTICK_TRY_ASSIGN(auto column, SharedFile::make());
    TrialPlan plan;
    plan.recording = session;
    plan.environment = environment;
    plan.until = until;
    plan.hashes = HashFile{column.path(), HashFile::Use::write};
    ISOTICK_TRY_ASSIGN(auto results, build(std::array{plan}, Isolation::forked));
    if (results.front().refused) {
        return tl::unexpected(*results.front().refused);
    }
    return Played{std::move(results.front()), std::move(column)};
}

/// The hashes of states, by the ticks that made them: all of a build's, or those that are stored.
class Hashes {
  public:
    static Result<Hashes> of(const Played& played) {
        return played.column.read().map([](MappedFile&& column) {
            Hashes hashes;
            hashes.column_.emplace(std::move(column));
            return hashes;
        });
    }
    static Result<Hashes> of(const std::string& recording) {
        ISOTICK_TRY_ASSIGN(auto reader, replay::Reader::open(recording));
        Hashes hashes;
        hashes.stored_.emplace_back(reader.initial().state);
        replay::RecordedTicks ticks(reader);
        while (true) {
            ISOTICK_TRY_ASSIGN(const bool more, ticks.advance());
            if (!more) {
                return hashes;
            }
            hashes.stored_.push_back(ticks.state_hash());
        }
    }

    [[nodiscard]] std::uint64_t states() const {
        return column_ ? column_->bytes().size() / kBytes : stored_.size();
    }
    [[nodiscard]] std::optional<StateHash> at(std::uint64_t ticks_done) const {
        if (!column_) {
            return stored_[ticks_done];
        }
        core::ByteReader bytes(column_->bytes().subspan(ticks_done * kBytes));
        return StateHash{bytes.get<std::uint64_t>()};
    }

  private:
    static constexpr std::size_t kBytes = sizeof(StateHash::value);

    Hashes() = default;

    std::vector<std::optional<StateHash>> stored_;
    std::optional<MappedFile> column_;
};

// Compares the states that have a hash on both sides.
void compare(const Hashes& a, const Hashes& b, ComparedTicks& diverged) {
    const std::uint64_t states = std::min(a.states(), b.states());
    diverged.ticks = states - std::min<std::uint64_t>(states, 1);
    for (std::uint64_t state = 0; state < states; ++state) {
        const auto of_a = a.at(state);
        const auto of_b = b.at(state);
        if (!of_a || !of_b) {
            continue;
        }
        if (*of_a != *of_b) {
            diverged.ticks_done = state;
            diverged.hashes = {*of_a, *of_b};
            return;
        }
        diverged.last_agreed = state;
    }
}

Result<void> check_reproduces(const std::string& recording, const Hashes& build) {
    ISOTICK_TRY_ASSIGN(const auto stored, Hashes::of(recording));
    ComparedTicks diverged;
    compare(stored, build, diverged);
    if (!diverged.ticks_done) {
        return {};
    }
    return tl::unexpected<core::Error>(
        {ErrorCode::usage,
         "the build that is said to have made it comes to another hash at " +
             describe_state(*diverged.ticks_done),
         recording,
         {},
         {}});
}

// After which tick the stored hashes of two recordings first differ; none where they do not, or
// where there are no two.
Result<std::optional<core::Tick>> compare_stored(const TickSide& a, const TickSide& b) {
    if (a.recording.empty() || b.recording.empty()) {
        return std::nullopt;
    }
    ISOTICK_TRY_ASSIGN(const auto comparison, replay::compare(a.recording, b.recording));
    if (comparison.session) {
        return core::fail(ErrorCode::usage,
                          "the two recordings are of different sessions: isotick diff says where");
    }
    return comparison.hashes ? comparison.hashes->tick : std::nullopt;
}

Result<Hashes> hashes_of(const std::string& session, const TickSide& side,
                         const core::Settings& environment, std::optional<core::Tick> until,
                         ComparedTicks& diverged, std::optional<TrialResult>& failed) {
    if (side.build == nullptr) {
        return Hashes::of(side.recording);
    }
    ISOTICK_TRY_ASSIGN(auto played, play(session, *side.build, environment, until));
    ISOTICK_TRY_ASSIGN(auto hashes, Hashes::of(played));
    diverged.ticks_run += played.result.statistics.ticks;
    if (!side.recording.empty()) {
        ISOTICK_TRY(check_reproduces(side.recording, hashes));
    }
    if (played.result.verdict != Verdict::identical) {
        failed = std::move(played.result);
    }
    return hashes;
}

}  // namespace

Result<ComparedTicks> find_parted_tick(const std::string& session, const TickSide& a,
                                       const TickSide& b, const core::Settings& environment) {
    ISOTICK_TRY_ASSIGN(const auto until, compare_stored(a, b));
    ComparedTicks diverged;
    ISOTICK_TRY_ASSIGN(const auto of_a, hashes_of(session, a, environment, until, diverged,
                                                  diverged.failed.front()));
    ISOTICK_TRY_ASSIGN(const auto of_b,
                       hashes_of(session, b, environment, until, diverged, diverged.failed.back()));
    compare(of_a, of_b, diverged);
    return diverged;
}

}  // namespace isotick::harness
