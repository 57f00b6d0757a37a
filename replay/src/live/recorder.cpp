// Records a live game: one call per tick.

#include "../format/bytes.hpp"
#include "../write/chunk_builder.hpp"
#include "writer_thread.hpp"

#include <isotick/core/detail/tick_dt.hpp>
#include <isotick/core/detail/try.hpp>
#include <isotick/core/plugin.h>
#include <isotick/replay/detail/tick_hashes.hpp>
#include <isotick/replay/recorder.hpp>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

namespace isotick::replay {

// Ticks that a rollback may still replace.

/// A ring of ticks, each with its inputs and hashes, in memory that is reused.
class UnconfirmedTicks {
  public:
    struct View {
        std::span<const isotick_input> inputs;
        const TickHashes* hashes;  ///< null where none were given
        std::optional<core::TickDt> dt;
    };

    explicit UnconfirmedTicks(std::uint32_t most) : slots_(most) {}

    [[nodiscard]] std::uint64_t size() const { return size_; }

    /// Drops all but the first `size`.
    void cut(std::uint64_t size) { size_ = size; }

    /// Adds a tick; there must be room.
    void push(std::span<const isotick_input> inputs, const TickHashes* hashes,
              std::optional<core::TickDt> dt) {
        Slot& slot = at(size_++);
        slot.inputs.assign(inputs.begin(), inputs.end());
        slot.bytes.clear();
        for (const isotick_input& input : inputs) {
            slot.bytes.insert(slot.bytes.end(), input.data, input.data + input.size);
        }
        const std::uint8_t* next = slot.bytes.data();
        for (isotick_input& input : slot.inputs) {
            input.data = next;
            next += input.size;
        }
        slot.dt = dt;
        slot.has_hashes = hashes != nullptr;
        if (hashes != nullptr) {
            slot.parts.assign(hashes->parts.begin(), hashes->parts.end());
            slot.hashes.state = hashes->state;
        }
    }

    /// The first tick, valid until the next call.
    [[nodiscard]] View front() {
        Slot& slot = at(0);
        slot.hashes.parts = slot.parts;
        return {slot.inputs, slot.has_hashes ? &slot.hashes : nullptr, slot.dt};
    }

    void pop() {
        first_ = (first_ + 1) % slots_.size();
        --size_;
    }

  private:
    struct Slot {
        std::vector<isotick_input> inputs;  // their data points into bytes
        std::vector<std::uint8_t> bytes;
        std::vector<core::PartHash> parts;
        TickHashes hashes;
        bool has_hashes = false;
        std::optional<core::TickDt> dt;
    };

    Slot& at(std::uint64_t index) {
        return slots_[static_cast<std::size_t>((first_ + index) % slots_.size())];
    }

    std::vector<Slot> slots_;
    std::uint64_t first_ = 0;
    std::uint64_t size_ = 0;
};

namespace {

using core::ErrorCode;
using core::Result;
using std::chrono::milliseconds;

constexpr std::uint32_t kMostUnconfirmed = 65'536;
// How long a disk may take for a new file where no other call may wait.
constexpr std::uint32_t kLeastPatienceToCreate = 1000;

}  // namespace

struct Recorder::Impl {
    Impl(RecordingStart start, const RecorderOptions& chosen)
        : options(chosen),
          builder(start.head),
          unconfirmed(chosen.most_unconfirmed),
          thread(std::move(start), chosen.most_queued) {}

    // What `call` returns, or false after an exception, with that for the reason.
    template <class Call>
    [[nodiscard]] bool attempt(const Call& call) {
        try {
            return call();
        } catch (...) {
            failure = thrown_error();
            return false;
        }
    }

    // Each returns false where the recording is over, after a failure of its own with the reason.
    [[nodiscard]] bool record(core::Tick tick, std::span<const isotick_input> inputs,
                              const TickHashes* hashes, const std::optional<core::TickDt>& dt);
    [[nodiscard]] bool keep(core::Tick tick, std::span<const isotick_input> inputs,
                            const TickHashes* hashes, const std::optional<core::TickDt>& dt);
    [[nodiscard]] bool confirm(core::Tick tick);

    // Takes the next tick into the open chunk, and passes that on where it is full.
    [[nodiscard]] bool take(std::span<const isotick_input> inputs, const TickHashes* hashes,
                            const std::optional<core::TickDt>& dt);
    [[nodiscard]] bool pass_on();

    [[nodiscard]] std::uint64_t confirmed() const { return builder.ticks(); }
    [[nodiscard]] bool goes_on() const { return !over && !thread.has_failed(); }
    [[nodiscard]] bool fail_order(core::Tick tick);
    [[nodiscard]] bool fail(ErrorCode code, core::Tick tick, std::string message);
    [[nodiscard]] bool fail(const core::Error& error);
    // What a call returns that did not succeed: the failure, but only once.
    [[nodiscard]] Result<void> surface();

    RecorderOptions options;
    ChunkBuilder builder;  // of the confirmed ticks
    UnconfirmedTicks unconfirmed;
    std::optional<core::Error> failure;
    bool over = false;           // failed and told so, or finished
    const Result<void> success;  // copied, which is cheaper than making one anew
    WriterThread thread;
};

bool Recorder::Impl::fail(const core::Error& error) {
    failure = error;
    return false;
}

bool Recorder::Impl::fail(ErrorCode code, core::Tick tick, std::string message) {
    return fail({code, std::move(message), {}, {}, tick.value});
}

bool Recorder::Impl::fail_order(core::Tick tick) {
    return fail(ErrorCode::usage, tick,
                tick.value < confirmed()
                    ? "is confirmed already, as are all up to " + std::to_string(confirmed() - 1)
                    : "is out of order: the next tick is " +
                          std::to_string(confirmed() + unconfirmed.size()));
}

inline bool Recorder::Impl::take(std::span<const isotick_input> inputs, const TickHashes* hashes,
                                 const std::optional<core::TickDt>& dt) {
    if (!builder.append(inputs, hashes, dt)) {
        return fail(builder.error());
    }
    return !builder.is_full() || pass_on();
}

inline bool Recorder::Impl::record(core::Tick tick, std::span<const isotick_input> inputs,
                                   const TickHashes* hashes,
                                   const std::optional<core::TickDt>& dt) {
    if (options.most_unconfirmed != 0) {
        return keep(tick, inputs, hashes, dt);
    }
    return tick.value == confirmed() ? take(inputs, hashes, dt) : fail_order(tick);
}

bool Recorder::Impl::keep(core::Tick tick, std::span<const isotick_input> inputs,
                          const TickHashes* hashes, const std::optional<core::TickDt>& dt) {
    if (tick.value < confirmed() || tick.value > confirmed() + unconfirmed.size()) {
        return fail_order(tick);
    }
    if (!builder.check(tick, inputs, hashes)) {
        return fail(builder.error());
    }
    unconfirmed.cut(tick.value - confirmed());
    if (unconfirmed.size() == options.most_unconfirmed) {
        return fail(ErrorCode::limit, tick,
                    std::to_string(options.most_unconfirmed) +
                        " ticks are unconfirmed: confirm some, or allow more");
    }
    unconfirmed.push(inputs, builder.hash_due(tick) ? hashes : nullptr, dt);
    return true;
}

bool Recorder::Impl::confirm(core::Tick tick) {
    if (tick.value >= confirmed() + unconfirmed.size()) {
        return tick.value < confirmed()
                   ? true
                   : fail(ErrorCode::usage, tick, "cannot be confirmed: it was not recorded");
    }
    while (confirmed() <= tick.value) {
        const UnconfirmedTicks::View view = unconfirmed.front();
        if (!take(view.inputs, view.hashes, view.dt)) {
            return false;
        }
        unconfirmed.pop();
    }
    return true;
}

bool Recorder::Impl::pass_on() {
    if (thread.submit(builder.open(), milliseconds(options.patience_ms))) {
        builder.begin_chunk();
        return true;
    }
    return fail(ErrorCode::limit, {confirmed() - 1},
                "the disk is too slow: " + std::to_string(options.most_queued) +
                    (options.most_queued == 1 ? " full chunk is" : " full chunks are") +
                    " still to be written");
}

Result<void> Recorder::Impl::surface() {
    if (over) {
        return {};
    }
    over = true;
    return guarded([this]() -> Result<void> {
        if (!failure) {
            failure = thread.error();
        }
        return tl::unexpected(*failure);
    });
}

Result<Recorder> Recorder::create(const std::string& path, const RecordingHead& head,
                                  const TickHashes& initial, RecorderOptions options) {
    if (options.most_queued == 0 || options.most_unconfirmed > kMostUnconfirmed) {
        return core::fail(ErrorCode::usage, options.most_queued == 0
                                                ? "most_queued must be at least 1"
                                                : "most_unconfirmed must be at most " +
                                                      std::to_string(kMostUnconfirmed));
    }
    return guarded([&]() -> Result<Recorder> {
        RecordingStart start{path,
                             head,
                             initial.state,
                             {initial.parts.begin(), initial.parts.end()},
                             {.overwrite = options.overwrite, .durable = options.durable}};
        std::unique_ptr<Impl> impl;
        try {
            impl = std::make_unique<Impl>(std::move(start), options);
        } catch (const std::system_error& thrown) {
            return core::fail(ErrorCode::io,
                              std::string("no thread to write on: ") + thrown.what());
        }
        ISOTICK_TRY(impl->thread.await_file(
            milliseconds(std::max(options.patience_ms, kLeastPatienceToCreate))));
        return Recorder(std::move(impl));
    });
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
    return impl_->builder.hash_due(tick);
}

Result<void> Recorder::record(core::Tick tick, std::span<const isotick_input> inputs,
                              const TickHashes* hashes, std::optional<core::TickDt> dt) {
    Impl& impl = *impl_;
    if (impl.goes_on() && impl.attempt([&] { return impl.record(tick, inputs, hashes, dt); })) {
        return impl.success;
    }
    return impl.surface();
}

Result<void> Recorder::confirm(core::Tick tick) {
    Impl& impl = *impl_;
    if (impl.goes_on() && impl.attempt([&] { return impl.confirm(tick); })) {
        return {};
    }
    return impl.surface();
}

Result<void> Recorder::finish(const TickHashes& final_hashes, std::uint32_t patience_ms) {
    Impl& impl = *impl_;
    try {
        if (impl.failure || impl.over) {
            return impl.failure ? tl::unexpected(*impl.failure)
                                : core::fail(ErrorCode::usage, "the recording is finished");
        }
        impl.over = true;
        const auto outcome =
            impl.thread.finish(impl.builder.open(), final_hashes, milliseconds(patience_ms));
        if (!outcome) {
            return core::fail(ErrorCode::limit, "the file is not complete after " +
                                                    std::to_string(patience_ms) +
                                                    " ms; it will be, unless the process ends "
                                                    "first");
        }
        if (!*outcome) {
            impl.failure = outcome->error();
        }
        return *outcome;
    } catch (...) {
        impl.failure = thrown_error();
        return tl::unexpected(thrown_error());
    }
}

std::uint64_t Recorder::confirmed() const {
    return impl_->confirmed();
}
std::uint64_t Recorder::written_through() const {
    return impl_->thread.written_through();
}
std::optional<core::Error> Recorder::failure() const {
    try {
        return impl_->failure ? impl_->failure : impl_->thread.error();
    } catch (...) {
        return thrown_error();
    }
}

}  // namespace isotick::replay
