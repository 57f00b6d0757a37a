#include "input_columns.hpp"
#include "tick_batch.hpp"
#include "unconfirmed_ticks.hpp"
#include "writer_thread.hpp"

#include <isotick/replay/recorder.hpp>

#include <chrono>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

namespace isotick::replay {
namespace {

using core::ErrorCode;
using core::Result;
using std::chrono::milliseconds;

constexpr std::uint32_t kMostUnconfirmed = 65'536;

tl::unexpected<core::Error> fail_at(ErrorCode code, core::Tick tick, std::string message) {
    return tl::unexpected<core::Error>(core::Error{code, std::move(message), {}, {}, tick.value});
}

}  // namespace

struct Recorder::Impl {
    Impl(Writer&& writer, const RecordingHead& head, const RecorderOptions& chosen)
        : options(chosen),
          stride(head.stride()),
          players(head.session.players),
          chunk(chunk_ticks(head.session.rate)),
          latest(players + std::size_t{1}),
          unconfirmed(chosen.most_unconfirmed, players + std::size_t{1}),
          thread(std::move(writer), players + 1, chosen.most_queued) {}

    [[nodiscard]] Result<void> check(core::Tick tick, std::span<const isotick_input> inputs,
                                     const TickHashes* hashes) const;
    [[nodiscard]] Result<void> check_inputs(core::Tick tick,
                                            std::span<const isotick_input> inputs) const;
    [[nodiscard]] Result<void> record(core::Tick tick, std::span<const isotick_input> inputs,
                                      const TickHashes* hashes);
    [[nodiscard]] Result<void> confirm(core::Tick tick);

    // Moves a tick into the open batch, and the batch on where it is full.
    [[nodiscard]] Result<void> take(std::span<const isotick_input> inputs,
                                    const TickHashes* hashes);
    [[nodiscard]] Result<void> pass_on();

    // What a call returns: a failure only once.
    [[nodiscard]] Result<void> surface(Result<void> result);

    RecorderOptions options;
    HashStride stride;
    std::uint32_t players;
    std::uint32_t chunk;
    std::uint64_t confirmed = 0;
    std::vector<ColumnInput> latest;  // of the last confirmed tick
    std::uint64_t open_cost = 0;      // what the open chunk's inputs take, at most
    UnconfirmedTicks unconfirmed;
    TickBatch open;
    std::optional<core::Error> failure;
    bool over = false;  // failed and told so, or finished
    WriterThread thread;
};

Result<void> Recorder::Impl::check_inputs(core::Tick tick,
                                          std::span<const isotick_input> inputs) const {
    if (inputs.size() != latest.size()) {
        return fail_at(ErrorCode::usage, tick,
                       std::to_string(inputs.size()) + " inputs given, " +
                           std::to_string(latest.size()) +
                           " needed: one per player and the world's");
    }
    for (std::uint32_t column = 0; column < latest.size(); ++column) {
        const isotick_input& input = inputs[column];
        const std::uint32_t player = column < players ? column : ISOTICK_WORLD;
        if (input.player != player || (input.present == 0 && input.size != 0) ||
            (input.size != 0 && input.data == nullptr)) {
            return fail_at(ErrorCode::usage, tick,
                           "input " + std::to_string(column) +
                               " is malformed: wrong player, absent with a size, or without data");
        }
        if (input.size > ISOTICK_LONGEST_INPUT) {
            return fail_at(ErrorCode::limit, tick,
                           "input " + std::to_string(column) + " has " +
                               std::to_string(input.size) + " bytes, more than 65536");
        }
    }
    return {};
}

Result<void> Recorder::Impl::check(core::Tick tick, std::span<const isotick_input> inputs,
                                   const TickHashes* hashes) const {
    const std::uint64_t next = confirmed + unconfirmed.size();
    if (tick.value > next) {
        return fail_at(ErrorCode::usage, tick,
                       "is out of order: the next tick is " + std::to_string(next));
    }
    if (tick.value < confirmed) {
        return fail_at(ErrorCode::usage, tick,
                       "is confirmed already, as are all up to " + std::to_string(confirmed - 1));
    }
    if (stride.hash_due(tick)) {
        if (hashes == nullptr) {
            return fail_at(ErrorCode::usage, tick, "the hash is due after this tick but missing");
        }
        if (stride.parts_due(tick) && hashes->parts.size() != stride.part_count) {
            return fail_at(ErrorCode::usage, tick,
                           std::to_string(hashes->parts.size()) + " part hashes given, " +
                               std::to_string(stride.part_count) + " needed");
        }
    }
    return check_inputs(tick, inputs);
}

Result<void> Recorder::Impl::record(core::Tick tick, std::span<const isotick_input> inputs,
                                    const TickHashes* hashes) {
    if (auto checked = check(tick, inputs, hashes); !checked) {
        return checked;
    }
    const TickHashes* const due = stride.hash_due(tick) ? hashes : nullptr;
    if (options.most_unconfirmed == 0) {
        return take(inputs, due);
    }
    unconfirmed.cut(tick.value - confirmed);
    if (unconfirmed.size() == options.most_unconfirmed) {
        return fail_at(ErrorCode::limit, tick,
                       std::to_string(options.most_unconfirmed) +
                           " ticks are unconfirmed: confirm some, or allow more");
    }
    unconfirmed.push(inputs, due);
    return {};
}

Result<void> Recorder::Impl::confirm(core::Tick tick) {
    if (tick.value >= confirmed + unconfirmed.size()) {
        return tick.value < confirmed
                   ? Result<void>()
                   : fail_at(ErrorCode::usage, tick, "cannot be confirmed: it was not recorded");
    }
    while (confirmed <= tick.value) {
        const UnconfirmedTicks::View view = unconfirmed.front();
        if (auto taken = take(view.inputs, view.hashes); !taken) {
            return taken;
        }
        unconfirmed.pop();
    }
    return {};
}

Result<void> Recorder::Impl::take(std::span<const isotick_input> inputs, const TickHashes* hashes) {
    for (std::uint32_t column = 0; column < latest.size(); ++column) {
        const isotick_input& input = inputs[column];
        ColumnInput& known = latest[column];
        const std::uint32_t code =
            input.present == 0 ? 0 : static_cast<std::uint32_t>(input.size) + 1;
        if (code != known.code ||
            (input.size != 0 && std::memcmp(input.data, known.bytes.data(), input.size) != 0)) {
            known.set(code, input.data);
            open.add_change(column, code, input.data);
            open_cost += change_cost(input.size);
        }
    }
    if (open_cost > kLongestInputBlock) {
        return fail_at(ErrorCode::limit, {confirmed},
                       "the inputs of its chunk are more than a chunk can hold (64 MiB)");
    }
    open.end_tick(hashes);
    ++confirmed;
    return open.ticks() < chunk ? Result<void>() : pass_on();
}

Result<void> Recorder::Impl::pass_on() {
    open_cost = 0;
    if (thread.submit(open, milliseconds(options.patience_ms))) {
        return {};
    }
    return fail_at(ErrorCode::limit, {confirmed - 1},
                   "the disk is too slow: " + std::to_string(options.most_queued) +
                       (options.most_queued == 1 ? " full chunk is" : " full chunks are") +
                       " still to be written");
}

Result<void> Recorder::Impl::surface(Result<void> result) {
    if (!result) {
        failure = result.error();
    } else if (thread.has_failed()) {
        failure = thread.error();
        result = tl::unexpected(*failure);
    }
    over = !result;
    return result;
}

Result<Recorder> Recorder::create(const std::filesystem::path& path, const RecordingHead& head,
                                  const TickHashes& initial, RecorderOptions options) {
    if (options.most_queued == 0 || options.most_unconfirmed > kMostUnconfirmed) {
        return core::fail(ErrorCode::usage, options.most_queued == 0
                                                ? "most_queued must be at least 1"
                                                : "most_unconfirmed must be at most " +
                                                      std::to_string(kMostUnconfirmed));
    }
    auto writer = Writer::create(path, head, initial, options.file);
    if (!writer) {
        return tl::unexpected(writer.error());
    }
    try {
        return Recorder(std::make_unique<Impl>(*std::move(writer), head, options));
    } catch (const std::system_error& thrown) {
        return core::fail(ErrorCode::io, std::string("no thread to write on: ") + thrown.what());
    }
}

Recorder::Recorder(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Recorder::Recorder(Recorder&&) noexcept = default;
Recorder& Recorder::operator=(Recorder&&) noexcept = default;

Recorder::~Recorder() {
    if (impl_) {
        impl_->thread.end(milliseconds(impl_->options.patience_ms));
    }
}

bool Recorder::hash_due(core::Tick tick) const {
    return impl_->stride.hash_due(tick);
}

Result<void> Recorder::record(core::Tick tick, std::span<const isotick_input> inputs,
                              const TickHashes* hashes) {
    if (impl_->over) {
        return {};
    }
    return impl_->surface(impl_->record(tick, inputs, hashes));
}

Result<void> Recorder::confirm(core::Tick tick) {
    if (impl_->over) {
        return {};
    }
    return impl_->surface(impl_->confirm(tick));
}

Result<void> Recorder::finish(const TickHashes& final_hashes, std::uint32_t patience_ms) {
    Impl& impl = *impl_;
    if (impl.failure) {
        return tl::unexpected(*impl.failure);
    }
    if (impl.over) {
        return core::fail(ErrorCode::usage, "the recording is finished");
    }
    impl.over = true;
    const auto outcome = impl.thread.finish(impl.open, final_hashes, milliseconds(patience_ms));
    if (!outcome) {
        return core::fail(ErrorCode::limit, "the file is not complete after " +
                                                std::to_string(patience_ms) +
                                                " ms; it will be, unless the process ends first");
    }
    if (!*outcome) {
        impl.failure = outcome->error();
    }
    return *outcome;
}

std::uint64_t Recorder::confirmed() const {
    return impl_->confirmed;
}
std::uint64_t Recorder::written_through() const {
    return impl_->thread.written_through();
}
std::optional<core::Error> Recorder::failure() const {
    return impl_->failure ? impl_->failure : impl_->thread.error();
}

}  // namespace isotick::replay
