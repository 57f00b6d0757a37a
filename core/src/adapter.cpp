#include <isotick/core/adapter.hpp>
#include <isotick/core/seam_text.hpp>

namespace isotick::core::detail {

void write_all(const isotick_sink& sink, std::string_view bytes) {
    if (sink.write(sink.context, bytes.data(), bytes.size()) != ISOTICK_OK) {
        throw std::runtime_error("the host takes no more");
    }
}

SimulationSetup from_c(const isotick_setup& setup) {
    return {
        .rate = take_setting(TickRate::make(setup.rate_numerator, setup.rate_denominator)),
        .players = setup.players,
        .seed = setup.seed,
        .config = take_setting(settings_from_c(setup.config, setup.config_count)),
        .environment = take_setting(settings_from_c(setup.environment, setup.environment_count))};
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
