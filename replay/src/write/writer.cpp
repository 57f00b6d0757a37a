#include "../columns/input_columns.hpp"
#include "../columns/tick_codec.hpp"
#include "../files/output_target.hpp"
#include "../format/chunk_header.hpp"
#include "../format/running_digests.hpp"
#include "../read/tail.hpp"

#include <isotick/core/detail/try.hpp>
#include <isotick/replay/writer.hpp>

#include <algorithm>
#include <cstring>
#include <optional>
#include <utility>

namespace isotick::replay {
namespace {

using core::ErrorCode;
using core::Result;

tl::unexpected<core::Error> fail_at(ErrorCode code, std::uint64_t tick, std::string message) {
    return tl::unexpected<core::Error>(core::Error{code, std::move(message), {}, {}, tick});
}

bool is_well_formed(const isotick_input& input, std::uint32_t expected_player) {
    return input.player == expected_player && (input.present != 0 || input.size == 0) &&
           (input.size == 0 || input.data != nullptr);
}

}  // namespace

struct Writer::Impl {
    Impl(const RecordingHead& head, OutputTarget&& out)
        : stride(head.stride()),
          players(head.session.players),
          full(chunk_ticks(head.session.rate)),
          constant_dt(head.session.rate),
          target(std::move(out)),
          session_digester(head.session),
          hash_digester(head),
          current(players + 1, kAbsent) {}

    static constexpr std::uint32_t kAbsent = 0xffffffff;

    // Checks what append got, and lists the columns that changed.
    [[nodiscard]] Result<void> check_inputs(std::span<const isotick_input> given);
    [[nodiscard]] bool is_unchanged(std::uint32_t column, const isotick_input& input) const;
    void take_inputs(std::span<const isotick_input> given);
    // Of the tick whose inputs were taken; ends it in the session digest.
    void take_dt(std::optional<core::TickDt> dt);
    [[nodiscard]] Result<void> append(std::span<const isotick_input> given,
                                      const TickHashes* hashes, std::optional<core::TickDt> dt);
    void take_hashes(const TickHashes& hashes, std::uint64_t tick);
    // The open chunk, framed; after that none is open.
    [[nodiscard]] Bytes close_chunk();
    [[nodiscard]] Result<FinalHashes> final_hashes(const TickHashes& hashes);
    [[nodiscard]] Result<void> finish(const TickHashes& hashes);
    // Remembers the first failure.
    [[nodiscard]] Result<void> note(Result<void> result);

    HashStride stride;
    std::uint32_t players;
    std::uint32_t full;  // ticks of a full chunk
    core::TickDt constant_dt;
    OutputTarget target;
    SessionDigester session_digester;
    HashDigester hash_digester;
    TickEncoder encoder;
    std::uint64_t head_size = 0;
    std::uint64_t ticks = 0;
    std::uint64_t written_through = 0;
    core::StateHash last_state;  // the latest that was stored, at first the initial one
    ChunkIndex index;
    std::optional<core::Error> failure;

    // The open chunk.
    std::uint32_t open_ticks = 0;
    InputChanges inputs;
    DtChanges dts;
    std::uint64_t input_cost = 0;
    std::vector<std::uint32_t> current;  // per column: its latest change, or kAbsent
    std::vector<std::uint32_t> changed;  // columns, at the tick being appended
    Bytes states;
    Bytes parts;
};

Result<void> Writer::Impl::check_inputs(std::span<const isotick_input> given) {
    if (given.size() != std::size_t{players} + 1) {
        return fail_at(ErrorCode::usage, ticks,
                       std::to_string(given.size()) + " inputs given, " +
                           std::to_string(players + 1) + " needed: one per player and the world's");
    }
    changed.clear();
    std::uint64_t cost = input_cost;
    for (std::uint32_t column = 0; column <= players; ++column) {
        const isotick_input& input = given[column];
        if (!is_well_formed(input, column < players ? column : ISOTICK_WORLD)) {
            return fail_at(ErrorCode::usage, ticks,
                           "input " + std::to_string(column) +
                               " is malformed: wrong player, absent with a size, or without data");
        }
        if (input.size > ISOTICK_LONGEST_INPUT) {
            return fail_at(ErrorCode::limit, ticks,
                           "input " + std::to_string(column) + " has " +
                               std::to_string(input.size) + " bytes, more than 65536");
        }
        if (!is_unchanged(column, input)) {
            changed.push_back(column);
            cost += change_cost(input.size);
        }
    }
    if (cost > kLongestInputBlock) {
        return fail_at(ErrorCode::limit, ticks,
                       "the inputs since tick " + std::to_string(ticks - open_ticks) +
                           " are more than a chunk can hold (64 MiB)");
    }
    return {};
}

bool Writer::Impl::is_unchanged(std::uint32_t column, const isotick_input& input) const {
    if (current[column] == kAbsent) {
        return input.present == 0;
    }
    const InputChange& latest = inputs.changes[current[column]];
    const std::uint64_t code = input.present == 0 ? 0 : input.size + 1;
    return latest.code == code &&
           (input.size == 0 || std::memcmp(inputs.bytes.data() + latest.offset, input.data,
                                           static_cast<std::size_t>(input.size)) == 0);
}

void Writer::Impl::take_inputs(std::span<const isotick_input> given) {
    for (const std::uint32_t column : changed) {
        const isotick_input& input = given[column];
        const std::span bytes(input.data, static_cast<std::size_t>(input.size));
        const auto code = static_cast<std::uint32_t>(input.present == 0 ? 0 : input.size + 1);
        const InputChange change{open_ticks, column, code,
                                 static_cast<std::uint32_t>(inputs.bytes.size())};
        current[column] = static_cast<std::uint32_t>(inputs.changes.size());
        inputs.changes.push_back(change);
        inputs.bytes.insert(inputs.bytes.end(), bytes.begin(), bytes.end());
        input_cost += change_cost(input.size);
        session_digester.add(change, bytes);
    }
}

void Writer::Impl::take_dt(std::optional<core::TickDt> dt) {
    if (dt && *dt == constant_dt) {
        dt.reset();
    }
    const bool is_known = dts.empty() ? !dt : dt == dts.back().dt;
    if (!is_known) {
        dts.push_back({open_ticks, dt});
    }
    if (dt) {
        session_digester.add(*dt);
    }
    session_digester.end_tick();
}

void Writer::Impl::take_hashes(const TickHashes& hashes, std::uint64_t tick) {
    last_state = hashes.state;
    put(states, hashes.state.value);
    const auto stored = stride.parts_due({tick}) ? hashes.parts : std::span<const core::PartHash>();
    for (const core::PartHash part : stored) {
        put(parts, part.value);
    }
    hash_digester.add(tick + 1, hashes.state, stored);
}

Result<void> Writer::Impl::append(std::span<const isotick_input> given, const TickHashes* hashes,
                                  std::optional<core::TickDt> dt) {
    ISOTICK_TRY(check_inputs(given));
    const core::Tick tick{ticks};
    if (stride.hash_due(tick)) {
        if (hashes == nullptr) {
            return fail_at(ErrorCode::usage, ticks, "the hash is due after this tick but missing");
        }
        if (stride.parts_due(tick) && hashes->parts.size() != stride.part_count) {
            return fail_at(ErrorCode::usage, ticks,
                           std::to_string(hashes->parts.size()) + " part hashes given, " +
                               std::to_string(stride.part_count) + " needed");
        }
    }
    take_inputs(given);
    take_dt(dt);
    if (stride.hash_due(tick)) {
        take_hashes(*hashes, ticks);
    }
    ++ticks;
    if (++open_ticks < full) {
        return {};
    }
    const Bytes chunk = close_chunk();
    ISOTICK_TRY(target.write(chunk));
    written_through = ticks;
    return {};
}

Bytes Writer::Impl::close_chunk() {
    const auto payload = encoder.encode({.ticks = open_ticks,
                                         .columns = players + 1,
                                         .inputs = &inputs,
                                         .dts = &dts,
                                         .constant = constant_dt,
                                         .states = states,
                                         .parts = parts,
                                         .session_digest = session_digester.value(),
                                         .hash_digest = hash_digester.value()});
    index.offsets.push_back(target.size());
    Bytes chunk = frame_chunk({.type = kTickChunk,
                               .ticks_less_one = static_cast<std::uint16_t>(open_ticks - 1),
                               .first = ticks - open_ticks},
                              payload);
    open_ticks = 0;
    inputs.clear();
    dts.clear();
    input_cost = 0;
    std::fill(current.begin(), current.end(), kAbsent);
    states.clear();
    parts.clear();
    return chunk;
}

Result<FinalHashes> Writer::Impl::final_hashes(const TickHashes& hashes) {
    FinalHashes final;
    final.ticks = ticks;
    const core::Tick last{ticks - 1};
    const bool has_state = ticks == 0 || stride.hash_due(last);
    if (has_state && hashes.state != last_state) {
        return fail_at(ErrorCode::usage, ticks,
                       "the final hash is not the one that was appended with the last tick");
    }
    if (!has_state) {
        final.state = hashes.state;
    }
    if (ticks != 0 && stride.has_parts() && !stride.parts_due(last)) {
        if (hashes.parts.size() != stride.part_count) {
            return fail_at(ErrorCode::usage, ticks,
                           std::to_string(hashes.parts.size()) + " final part hashes given, " +
                               std::to_string(stride.part_count) + " needed");
        }
        final.parts.assign(hashes.parts.begin(), hashes.parts.end());
    }
    if (final.state || !final.parts.empty()) {
        hash_digester.add(ticks, hashes.state, final.parts);
    }
    final.session_digest = session_digester.value();
    final.hash_digest = hash_digester.value();
    return final;
}

Result<void> Writer::Impl::finish(const TickHashes& hashes) {
    // Before the final hashes enter the digest, which the open chunk ends with.
    Bytes end = open_ticks == 0 ? Bytes() : close_chunk();
    ISOTICK_TRY_ASSIGN(const auto final, final_hashes(hashes));
    put_bytes(end, frame_chunk({.type = kFinalChunk, .first = ticks}, encode_final(final)));
    index.ticks = ticks;
    put_bytes(end, encode_tail(index, head_size, target.size() + end.size()));
    ISOTICK_TRY(target.write(end));
    ISOTICK_TRY(target.complete());
    written_through = ticks;
    return {};
}

Result<void> Writer::Impl::note(Result<void> result) {
    if (!result) {
        failure = result.error();
    }
    return result;
}

Result<Writer> Writer::create(const std::filesystem::path& path, const RecordingHead& head,
                              const TickHashes& initial, WriterOptions options) {
    ISOTICK_TRY_ASSIGN(const auto block, encode_head(head, initial));
    ISOTICK_TRY_ASSIGN(auto target, OutputTarget::open(path, options));
    if (auto written = target.write(block); !written) {
        target.discard();
        return tl::unexpected(written.error());
    }
    auto impl = std::make_unique<Impl>(head, std::move(target));
    impl->head_size = block.size();
    impl->last_state = initial.state;
    impl->hash_digester.add(
        0, initial.state,
        impl->stride.has_parts() ? initial.parts : std::span<const core::PartHash>());
    return Writer(std::move(impl));
}

Writer::Writer(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Writer::~Writer() = default;
Writer::Writer(Writer&&) noexcept = default;
Writer& Writer::operator=(Writer&&) noexcept = default;

bool Writer::hash_due(core::Tick tick) const {
    return impl_->stride.hash_due(tick);
}

Result<void> Writer::append(std::span<const isotick_input> inputs, const TickHashes* hashes,
                            std::optional<core::TickDt> dt) {
    if (impl_->failure) {
        return tl::unexpected(*impl_->failure);
    }
    return impl_->note(impl_->append(inputs, hashes, dt));
}

Result<void> Writer::finish(const TickHashes& final_hashes) {
    if (impl_->failure) {
        return tl::unexpected(*impl_->failure);
    }
    auto finished = impl_->note(impl_->finish(final_hashes));
    if (finished) {
        impl_->failure = core::Error{ErrorCode::usage, "the recording is finished", {}, {}, {}};
    }
    return finished;
}

Result<void> Writer::leave_unfinished() {
    if (impl_->failure) {
        return tl::unexpected(*impl_->failure);
    }
    auto completed = impl_->note(impl_->target.complete());
    if (completed) {
        impl_->failure = core::Error{ErrorCode::usage, "the recording is closed", {}, {}, {}};
    }
    return completed;
}

std::uint64_t Writer::ticks() const {
    return impl_->ticks;
}
std::uint64_t Writer::written_through() const {
    return impl_->written_through;
}
core::Digest Writer::session_digest() const {
    return impl_->session_digester.value();
}
core::Digest Writer::hash_digest() const {
    return impl_->hash_digester.value();
}

}  // namespace isotick::replay
