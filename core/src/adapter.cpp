#include <isotick/core/adapter.hpp>

#include <algorithm>

namespace isotick::core::detail {
namespace {

Settings settings_from(const isotick_setting* entries, std::uint32_t count) {
    Settings settings;
    for (std::uint32_t i = 0; i < count; ++i) {
        take_setting(settings.set(entries[i].key, entries[i].value));
    }
    return settings;
}

}  // namespace

void write_message(isotick_message* message, const char* text) {
    const std::size_t length =
        std::min(std::strlen(text), static_cast<std::size_t>(message->capacity) - 1);
    std::memcpy(message->text, text, length);
    message->text[length] = '\0';
}

void write_all(const isotick_sink& sink, std::string_view bytes) {
    if (sink.write(sink.context, bytes.data(), bytes.size()) != ISOTICK_OK) {
        throw std::runtime_error("the host takes no more");
    }
}

SimulationSetup from_c(const isotick_setup& setup) {
    return {.rate = take_setting(TickRate::make(setup.rate_numerator, setup.rate_denominator)),
            .players = setup.players,
            .seed = setup.seed,
            .config = settings_from(setup.config, setup.config_count),
            .environment = settings_from(setup.environment, setup.environment_count)};
}

bool copy_parts(const HashSink& sink, std::span<isotick_part> parts, std::uint32_t& count) {
    const std::span<const HashSink::Part> hashed = sink.parts();
    if (hashed.size() > parts.size()) {
        return false;
    }
    for (std::size_t i = 0; i < hashed.size(); ++i) {
        parts[i] = {hashed[i].name.c_str(), hashed[i].hash.value};
    }
    count = static_cast<std::uint32_t>(hashed.size());
    return true;
}

}  // namespace isotick::core::detail
