// The C API of recorders and state rings.

#include "c_support.hpp"

#include <isotick/core/detail/try.hpp>
#include <isotick/core/snapshot.hpp>
#include <isotick/replay/isotick.h>
#include <isotick/replay/recorder.hpp>
#include <isotick/replay/state_ring.hpp>

#include <memory>
#include <optional>
#include <utility>

struct isotick_recorder {
    std::optional<isotick::replay::Recorder> recorder;
    isotick::replay::c_api::HashesFromC hashes;
};

namespace {

using isotick::core::ErrorCode;
using isotick::core::Result;
using isotick::core::Tick;
namespace core = isotick::core;
namespace replay = isotick::replay;
namespace c_api = isotick::replay::c_api;

replay::RecorderOptions recorder_options_from_c(const isotick_recorder_options& given) {
    replay::RecorderOptions options;
    options.overwrite = given.overwrite != 0;
    options.durable = given.skip_sync == 0;
    if (given.patience_ms != 0) {
        options.patience_ms = given.patience_ms == ISOTICK_NEVER_WAIT ? 0 : given.patience_ms;
    }
    options.most_queued = given.most_queued == 0 ? options.most_queued : given.most_queued;
    options.most_unconfirmed = given.most_unconfirmed;
    return options;
}

Result<replay::Recorder> create(const char* path, const isotick_recording_head* head,
                                const isotick_hashes* initial,
                                const isotick_recorder_options* options) {
    if (path == nullptr || initial == nullptr) {
        return core::fail(ErrorCode::usage, "the path or the initial hashes are missing");
    }
    ISOTICK_TRY_ASSIGN(const auto made, c_api::head_from_c(head));
    ISOTICK_TRY_ASSIGN(const auto given, c_api::read_struct(options));
    c_api::HashesFromC hashes;
    return replay::Recorder::create(path, made, *hashes(initial), recorder_options_from_c(given));
}

}  // namespace

std::int32_t isotick_recorder_create(const char* path, const isotick_recording_head* head,
                                     const isotick_hashes* initial,
                                     const isotick_recorder_options* options,
                                     isotick_recorder** out, isotick_message* message) {
    *out = nullptr;
    return c_api::guard(message, [&]() -> Result<void> {
        auto made = std::make_unique<isotick_recorder>();  // before there is a file
        ISOTICK_TRY_ASSIGN(made->recorder, create(path, head, initial, options));
        *out = made.release();
        return {};
    });
}

void isotick_recorder_destroy(isotick_recorder* recorder) {
    delete recorder;
}

std::int32_t isotick_recorder_hash_due(const isotick_recorder* recorder, std::uint64_t tick) {
    return recorder->recorder->hash_due(Tick{tick}) ? 1 : 0;
}

std::int32_t isotick_recorder_record(isotick_recorder* recorder, std::uint64_t tick,
                                     const isotick_input* inputs, std::uint32_t input_count,
                                     const isotick_hashes* hashes, isotick_message* message) {
    return isotick_recorder_record_dt(recorder, tick, inputs, input_count, nullptr, hashes,
                                      message);
}

std::int32_t isotick_recorder_record_dt(isotick_recorder* recorder, std::uint64_t tick,
                                        const isotick_input* inputs, std::uint32_t input_count,
                                        const isotick_dt* dt, const isotick_hashes* hashes,
                                        isotick_message* message) {
    return c_api::guard(message, [&]() -> Result<void> {
        ISOTICK_TRY_ASSIGN(const auto given, c_api::dt_from_c(dt));
        return recorder->recorder->record(Tick{tick}, {inputs, input_count},
                                          recorder->hashes(hashes), given);
    });
}

std::int32_t isotick_recorder_confirm(isotick_recorder* recorder, std::uint64_t tick,
                                      isotick_message* message) {
    return c_api::guard(message, [&] { return recorder->recorder->confirm(Tick{tick}); });
}

std::int32_t isotick_recorder_finish(isotick_recorder* recorder, const isotick_hashes* final_hashes,
                                     std::uint32_t patience_ms, isotick_message* message) {
    return c_api::guard(message, [&]() -> Result<void> {
        const replay::TickHashes* const hashes = recorder->hashes(final_hashes);
        if (hashes == nullptr) {
            return core::fail(ErrorCode::usage, "the final hashes are missing");
        }
        return recorder->recorder->finish(*hashes, patience_ms);
    });
}

std::int32_t isotick_recorder_failure(const isotick_recorder* recorder, isotick_message* message) {
    return c_api::guard(message, [&]() -> Result<void> {
        const auto failure = recorder->recorder->failure();
        return failure ? tl::unexpected(*failure) : Result<void>();
    });
}

std::uint64_t isotick_recorder_confirmed(const isotick_recorder* recorder) {
    return recorder->recorder->confirmed();
}

std::uint64_t isotick_recorder_written_through(const isotick_recorder* recorder) {
    return recorder->recorder->written_through();
}
struct isotick_state_ring {
    isotick::replay::StateRing ring;
};

namespace {

using isotick::core::ErrorCode;
using isotick::core::Result;
namespace core = isotick::core;
namespace c_api = isotick::replay::c_api;

constexpr std::uint32_t kMostStates = 65'536;

}  // namespace

std::int32_t isotick_state_ring_create(const char* simulation, const char* hash_algorithm,
                                       std::uint32_t states, isotick_state_ring** out,
                                       isotick_message* message) {
    *out = nullptr;
    return c_api::guard(message, [&]() -> Result<void> {
        if (simulation == nullptr || states == 0 || states > kMostStates) {
            return core::fail(ErrorCode::usage,
                              "the ring needs a simulation's name and room for 1 to 65536 states");
        }
        const std::string algorithm(hash_algorithm == nullptr ? core::kHashAlgorithm
                                                              : std::string_view(hash_algorithm));
        *out = new isotick_state_ring{{simulation, states, algorithm}};
        return {};
    });
}

void isotick_state_ring_destroy(isotick_state_ring* ring) {
    delete ring;
}

std::int32_t isotick_state_ring_keep(isotick_state_ring* ring, std::uint64_t ticks_done,
                                     std::uint64_t state_hash, const void* fields,
                                     std::uint64_t size, isotick_message* message) {
    return c_api::guard(message, [&]() -> Result<void> {
        if (size > core::kLargestState) {
            return core::fail(ErrorCode::limit, "the state is larger than a state dump may be");
        }
        return ring->ring.keep(
            ticks_done, {state_hash},
            {static_cast<const std::byte*>(fields), static_cast<std::size_t>(size)});
    });
}

std::int32_t isotick_state_ring_write(const isotick_state_ring* ring, std::uint64_t ticks_done,
                                      const char* path, isotick_message* message) {
    return c_api::guard(message, [&]() -> Result<void> {
        if (path == nullptr) {
            return core::fail(ErrorCode::usage, "the path is missing");
        }
        return ring->ring.write(ticks_done, path);
    });
}
