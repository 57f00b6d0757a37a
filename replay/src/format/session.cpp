#include "session_codec.hpp"

#include <isotick/replay/session.hpp>

namespace isotick::replay {

std::vector<std::byte> canonical_bytes(const SessionInfo& info) {
    Bytes out;
    put_string(out, info.simulation);
    put(out, info.rate.numerator());
    put(out, info.rate.denominator());
    put(out, info.players);
    put(out, info.seed);
    put_settings(out, info.config);
    return out;
}

void put_settings(Bytes& out, const core::Settings& settings) {
    put(out, static_cast<std::uint32_t>(settings.entries().size()));
    for (const auto& [key, value] : settings.entries()) {
        put_string(out, key);
        put_string(out, value);
    }
}

core::Settings read_settings(ByteReader& in) {
    core::Settings settings;
    std::string previous;
    const auto count = in.get<std::uint32_t>();
    for (std::uint32_t i = 0; i < count && in.ok(); ++i) {
        std::string key = in.string();
        const bool ascending = i == 0 || previous < key;
        previous = key;
        if (!ascending || !settings.set(std::move(key), in.string())) {
            in.fail();
        }
    }
    return settings;
}

SessionInfo read_session(ByteReader& in) {
    SessionInfo info;
    info.simulation = in.string();
    const auto numerator = in.get<std::uint32_t>();
    const auto denominator = in.get<std::uint32_t>();
    const auto rate = core::TickRate::make(numerator, denominator);
    if (!rate || rate->numerator() != numerator) {
        in.fail();
    } else {
        info.rate = *rate;
    }
    info.players = in.get<std::uint32_t>();
    info.seed = in.get<std::uint64_t>();
    info.config = read_settings(in);
    return info;
}

std::uint32_t chunk_ticks(core::TickRate rate) {
    constexpr std::uint32_t kFewest = 16;
    constexpr std::uint32_t kMost = 4096;
    std::uint32_t ticks = kFewest;
    while (ticks < kMost && std::uint64_t{ticks} * rate.denominator() < rate.numerator()) {
        ticks *= 2;
    }
    return ticks;
}

}  // namespace isotick::replay
