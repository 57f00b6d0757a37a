#include "c_support.hpp"

#include <isotick/core/detail/try.hpp>
#include <isotick/replay/isotick.h>

#include <string>

namespace isotick::replay::c_api {
namespace {

using core::ErrorCode;
using core::Result;

constexpr std::uint32_t kUsualRate = 60;

std::string text_or(const char* text, std::string_view fallback) {
    return std::string(text == nullptr ? fallback : std::string_view(text));
}

Result<core::TickRate> rate_from_c(const isotick_recording_head& given) {
    const bool is_default = given.rate_numerator == 0 && given.rate_denominator == 0;
    return is_default ? core::TickRate::make(kUsualRate, 1)
                      : core::TickRate::make(given.rate_numerator, given.rate_denominator);
}

Result<std::vector<std::string>> names_from_c(const isotick_recording_head& given) {
    if (given.part_count == 0) {
        return RecordingHead().part_names;
    }
    std::vector<std::string> names;
    for (std::uint32_t i = 0; i < given.part_count && i <= ISOTICK_MOST_PARTS; ++i) {
        if (given.part_names == nullptr || given.part_names[i] == nullptr) {
            return core::fail(ErrorCode::usage, "part " + std::to_string(i) + " has no name");
        }
        names.emplace_back(given.part_names[i]);
    }
    return names;
}

}  // namespace

Result<RecordingHead> head_from_c(const isotick_recording_head* pointer) {
    ISOTICK_TRY_ASSIGN(const isotick_recording_head given, read_struct(pointer));
    if (given.simulation == nullptr) {
        return core::fail(ErrorCode::usage, "the head names no simulation");
    }
    const auto rate = rate_from_c(given);
    const auto config = core::detail::settings_from_c(given.config, given.config_count);
    const auto notes = core::detail::settings_from_c(given.notes, given.note_count);
    auto names = names_from_c(given);
    if (!rate || !config || !notes || !names) {
        return tl::unexpected(!rate     ? rate.error()
                              : !config ? config.error()
                              : !notes  ? notes.error()
                                        : names.error());
    }
    RecordingHead head;
    head.session = {given.simulation, *rate, given.players, given.seed, *config};
    head.hash_algorithm = text_or(given.hash_algorithm, head.hash_algorithm);
    head.nan_policy = text_or(given.nan_policy, head.nan_policy);
    head.hash_every = given.hash_every == 0 ? head.hash_every : given.hash_every;
    head.parts_every = given.parts_every == 0 ? head.parts_every : given.parts_every;
    head.part_names = *std::move(names);
    head.notes = *notes;
    return head;
}

HeadForC::HeadForC(const RecordingHead& head)
    : kept_(head),
      config_(core::detail::settings_as_c(kept_.session.config)),
      notes_(core::detail::settings_as_c(kept_.notes)),
      head_{} {
    for (const std::string& name : kept_.part_names) {
        part_names_.push_back(name.c_str());
    }
    const SessionInfo& session = kept_.session;
    head_.struct_size = sizeof head_;
    head_.players = session.players;
    head_.seed = session.seed;
    head_.rate_numerator = session.rate.numerator();
    head_.rate_denominator = session.rate.denominator();
    head_.hash_every = kept_.hash_every;
    head_.parts_every = kept_.parts_every;
    head_.config_count = static_cast<std::uint32_t>(config_.size());
    head_.note_count = static_cast<std::uint32_t>(notes_.size());
    head_.part_count = static_cast<std::uint32_t>(part_names_.size());
    head_.simulation = session.simulation.c_str();
    head_.hash_algorithm = kept_.hash_algorithm.c_str();
    head_.nan_policy = kept_.nan_policy.c_str();
    head_.config = config_.data();
    head_.notes = notes_.data();
    head_.part_names = part_names_.data();
}

}  // namespace isotick::replay::c_api

namespace isotick::replay::c_api {

core::Result<std::optional<core::TickDt>> dt_from_c(const isotick_dt* given) {
    if (given == nullptr) {
        return std::nullopt;
    }
    return core::TickDt::make(given->numerator, given->denominator).map([](core::TickDt dt) {
        return std::optional(dt);
    });
}

isotick_dt dt_for_c(core::TickDt dt) {
    return {dt.numerator(), dt.denominator(), dt.seconds()};
}

}  // namespace isotick::replay::c_api

std::uint32_t isotick_api_version(void) {
    return ISOTICK_API_VERSION;
}

std::int32_t isotick_dt_from_seconds(double seconds, isotick_dt* dt, isotick_message* message) {
    namespace c_api = isotick::replay::c_api;
    return c_api::guard(message, [&] {
        return isotick::core::TickDt::exactly(seconds).map(
            [dt](isotick::core::TickDt made) { *dt = c_api::dt_for_c(made); });
    });
}

std::uint64_t isotick_hash_bytes(const void* data, std::uint64_t size) {
    return isotick::core::hash_bytes(
        {static_cast<const std::byte*>(data), static_cast<std::size_t>(size)});
}

std::uint64_t isotick_hash_parts(const std::uint64_t* parts, std::uint32_t count) {
    isotick::core::StreamHasher hasher;
    for (std::uint32_t i = 0; i < count; ++i) {
        std::byte bytes[sizeof *parts];
        for (std::size_t j = 0; j < sizeof bytes; ++j) {
            bytes[j] = static_cast<std::byte>(parts[i] >> (8 * j) & 0xff);
        }
        hasher.update(bytes);
    }
    return hasher.value();
}
