#include "../columns/input_columns.hpp"
#include "../write/latest_inputs.hpp"
#include "../write/tick_batch.hpp"
#include "unconfirmed_ticks.hpp"
#include "writer_thread.hpp"

#include <isotick/core/detail/try.hpp>
#include <isotick/replay/recorder.hpp>

#include <chrono>
#include <string>
#include <system_error>
#include <utility>

namespace isotick::replay {
namespace {

using core::ErrorCode;
using core::Result;
using std::chrono::milliseconds;

constexpr std::uint32_t kMostUnconfirmed = 65'536;

}  // namespace

struct Recorder::Impl {
    Impl(Writer&& writer, const RecordingHead& head, const RecorderOptions& chosen)
        : options(chosen),
          stride(head.stride()),
          players(head.session.players),
          chunk(chunk_ticks(head.session.rate)),
          latest(players),
          unconfirmed(chosen.most_unconfirmed, players + std::size_t{1}),
          thread(std::move(writer), players + 1, chosen.most_queued) {}

    // Each returns false where the recording is over, after a failure of its own with the reason.
    [[nodiscard]] bool check_tick(core::Tick tick, std::size_t input_count);
    [[nodiscard]] bool check_hashes(core::Tick tick, const TickHashes* hashes);
    [[nodiscard]] bool check_input(core::Tick tick, std::uint32_t column,
                                   const isotick_input& input);
    [[nodiscard]] bool record(core::Tick tick, std::span<const isotick_input> inputs,
                              const TickHashes* hashes, std::optional<core::TickDt> dt);
    [[nodiscard]] bool check(core::Tick tick, std::size_t input_count, const TickHashes* hashes) {
        return check_tick(tick, input_count) &&
               (!stride.hash_due(tick) || check_hashes(tick, hashes));
    }
    [[nodiscard]] bool keep(core::Tick tick, std::span<const isotick_input> inputs,
                            const TickHashes* hashes, std::optional<core::TickDt> dt);
    [[nodiscard]] bool confirm(core::Tick tick);

    // Moves the next tick into the open batch, and the batch on where it is full.
    [[nodiscard]] bool take(std::span<const isotick_input> inputs, const TickHashes* hashes,
                            std::optional<core::TickDt> dt);
    // Takes the inputs that are not the latest, of which the first is at `column`.
    [[nodiscard]] bool take_changes(std::span<const isotick_input> inputs, std::uint32_t column);
    [[nodiscard]] bool pass_on();

    [[nodiscard]] bool goes_on() const { return !over && !thread.has_failed(); }
    [[nodiscard]] bool fail(ErrorCode code, core::Tick tick, std::string message);
    // What a call returns that did not succeed: the failure, but only once.
    [[nodiscard]] Result<void> surface();

    RecorderOptions options;
    HashStride stride;
    std::uint32_t players;
    std::uint32_t chunk;
    std::uint64_t confirmed = 0;
    LatestInputs latest;          // of the last confirmed tick
    std::uint64_t open_cost = 0;  // what the open chunk's inputs take, at most
    UnconfirmedTicks unconfirmed;
    TickBatch open;
    std::optional<core::Error> failure;
    bool over = false;           // failed and told so, or finished
    const Result<void> success;  // copied, which is cheaper than making one anew
    WriterThread thread;
};

bool Recorder::Impl::fail(ErrorCode code, core::Tick tick, std::string message) {
    failure = core::Error{code, std::move(message), {}, {}, tick.value};
    return false;
}

bool Recorder::Impl::check_input(core::Tick tick, std::uint32_t column,
                                 const isotick_input& input) {
    const std::uint32_t player = column < players ? column : ISOTICK_WORLD;
    if (input.player != player || (input.present == 0 && input.size != 0) ||
        (input.size != 0 && input.data == nullptr)) {
        return fail(ErrorCode::usage, tick,
                    "input " + std::to_string(column) +
                        " is malformed: wrong player, absent with a size, or without data");
    }
    if (input.size > ISOTICK_LONGEST_INPUT) {
        return fail(ErrorCode::limit, tick,
                    "input " + std::to_string(column) + " has " + std::to_string(input.size) +
                        " bytes, more than 65536");
    }
    return true;
}

bool Recorder::Impl::check_tick(core::Tick tick, std::size_t input_count) {
    const std::uint64_t next = confirmed + unconfirmed.size();
    if (tick.value > next) {
        return fail(ErrorCode::usage, tick,
                    "is out of order: the next tick is " + std::to_string(next));
    }
    if (tick.value < confirmed) {
        return fail(ErrorCode::usage, tick,
                    "is confirmed already, as are all up to " + std::to_string(confirmed - 1));
    }
    if (input_count != latest.size()) {
        return fail(ErrorCode::usage, tick,
                    std::to_string(input_count) + " inputs given, " +
                        std::to_string(latest.size()) + " needed: one per player and the world's");
    }
    return true;
}

bool Recorder::Impl::check_hashes(core::Tick tick, const TickHashes* hashes) {
    if (hashes == nullptr) {
        return fail(ErrorCode::usage, tick, "the hash is due after this tick but missing");
    }
    if (stride.parts_due(tick) && hashes->parts.size() != stride.part_count) {
        return fail(ErrorCode::usage, tick,
                    std::to_string(hashes->parts.size()) + " part hashes given, " +
                        std::to_string(stride.part_count) + " needed");
    }
    return true;
}

bool Recorder::Impl::take_changes(std::span<const isotick_input> inputs, std::uint32_t column) {
    for (; column < inputs.size(); column = latest.first_change(inputs.data(), column + 1)) {
        const isotick_input& input = inputs[column];
        // One that came before with the same player and size needs no second look.
        if (!latest.is_alike(column, input) && !check_input({confirmed}, column, input)) {
            return false;
        }
        open_cost += change_cost(input.size);
        if (open_cost > kLongestInputBlock) {
            return fail(ErrorCode::limit, {confirmed},
                        "the inputs of its chunk are more than a chunk can hold (64 MiB)");
        }
        latest.set(column, input);
        open.add_change(column, input_code(input), input.data);
    }
    return true;
}

inline bool Recorder::Impl::take(std::span<const isotick_input> inputs, const TickHashes* hashes,
                                 std::optional<core::TickDt> dt) {
    const std::uint32_t changed = latest.first_change(inputs.data(), 0);
    if (changed != inputs.size() && !take_changes(inputs, changed)) {
        return false;
    }
    if (dt) {
        open.add_dt(*dt);
    }
    open.end_tick(hashes);
    ++confirmed;
    return open.ticks() < chunk || pass_on();
}

inline bool Recorder::Impl::record(core::Tick tick, std::span<const isotick_input> inputs,
                                   const TickHashes* hashes, std::optional<core::TickDt> dt) {
    const bool due = stride.hash_due(tick);
    const bool is_plain = tick.value == confirmed + unconfirmed.size() &&
                          inputs.size() == latest.size() &&
                          (!due || (hashes != nullptr && !stride.has_parts()));
    if (!is_plain && !check(tick, inputs.size(), hashes)) {
        return false;
    }
    const TickHashes* const stored = due ? hashes : nullptr;
    return options.most_unconfirmed == 0 ? take(inputs, stored, dt)
                                         : keep(tick, inputs, stored, dt);
}

bool Recorder::Impl::keep(core::Tick tick, std::span<const isotick_input> inputs,
                          const TickHashes* hashes, std::optional<core::TickDt> dt) {
    for (std::uint32_t column = 0; column < inputs.size(); ++column) {
        if (!check_input(tick, column, inputs[column])) {
            return false;
        }
    }
    unconfirmed.cut(tick.value - confirmed);
    if (unconfirmed.size() == options.most_unconfirmed) {
        return fail(ErrorCode::limit, tick,
                    std::to_string(options.most_unconfirmed) +
                        " ticks are unconfirmed: confirm some, or allow more");
    }
    unconfirmed.push(inputs, hashes, dt);
    return true;
}

bool Recorder::Impl::confirm(core::Tick tick) {
    if (tick.value >= confirmed + unconfirmed.size()) {
        return tick.value < confirmed
                   ? true
                   : fail(ErrorCode::usage, tick, "cannot be confirmed: it was not recorded");
    }
    while (confirmed <= tick.value) {
        const UnconfirmedTicks::View view = unconfirmed.front();
        if (!take(view.inputs, view.hashes, view.dt)) {
            return false;
        }
        unconfirmed.pop();
    }
    return true;
}

bool Recorder::Impl::pass_on() {
    open_cost = 0;
    if (thread.submit(open, milliseconds(options.patience_ms))) {
        return true;
    }
    return fail(ErrorCode::limit, {confirmed - 1},
                "the disk is too slow: " + std::to_string(options.most_queued) +
                    (options.most_queued == 1 ? " full chunk is" : " full chunks are") +
                    " still to be written");
}

Result<void> Recorder::Impl::surface() {
    if (over) {
        return {};
    }
    over = true;
    if (!failure) {
        failure = thread.error();
    }
    return tl::unexpected(*failure);
}

Result<Recorder> Recorder::create(const std::filesystem::path& path, const RecordingHead& head,
                                  const TickHashes& initial, RecorderOptions options) {
    if (options.most_queued == 0 || options.most_unconfirmed > kMostUnconfirmed) {
        return core::fail(ErrorCode::usage, options.most_queued == 0
                                                ? "most_queued must be at least 1"
                                                : "most_unconfirmed must be at most " +
                                                      std::to_string(kMostUnconfirmed));
    }
    ISOTICK_TRY_ASSIGN(
        auto writer, Writer::create(path, head, initial,
                                    {.overwrite = options.overwrite, .durable = options.durable}));
    try {
        return Recorder(std::make_unique<Impl>(std::move(writer), head, options));
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
                              const TickHashes* hashes, std::optional<core::TickDt> dt) {
    Impl& impl = *impl_;
    if (impl.goes_on() && impl.record(tick, inputs, hashes, dt)) {
        return impl.success;
    }
    return impl.surface();
}

Result<void> Recorder::confirm(core::Tick tick) {
    Impl& impl = *impl_;
    if (impl.goes_on() && impl.confirm(tick)) {
        return {};
    }
    return impl.surface();
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
