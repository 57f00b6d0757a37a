#include "c_support.hpp"

#include <isotick/replay/isotick.h>

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

std::filesystem::path path_from_c(const char* path) {
    const auto* const utf8 = reinterpret_cast<const char8_t*>(path);
    return std::filesystem::path(std::u8string_view(utf8));
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
