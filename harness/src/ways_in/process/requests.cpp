#include "requests.hpp"

#include <bit>
#include <span>

namespace isotick::harness {
namespace {

void put_settings(core::Bytes& out, std::span<const isotick_setting> settings) {
    core::put(out, static_cast<std::uint32_t>(settings.size()));
    for (const isotick_setting& setting : settings) {
        core::put_string(out, setting.key);
        core::put_string(out, setting.value);
    }
}

}  // namespace

void put_create(core::Bytes& out, const isotick_setup& setup) {
    const Message create(out, Verb::create);
    core::put(out, setup.players);
    core::put(out, setup.seed);
    core::put(out, setup.rate_numerator);
    core::put(out, setup.rate_denominator);
    put_settings(out, {setup.config, setup.config_count});
    put_settings(out, {setup.environment, setup.environment_count});
}

void put_step(core::Bytes& out, const isotick_step& step) {
    const Message message(out, Verb::step);
    core::put(out, step.tick);
    core::put(out, std::bit_cast<std::uint64_t>(step.dt_seconds));
    core::put(out, step.dt_num);
    core::put(out, step.dt_den);
    core::put(out, step.input_count);
    for (const isotick_input& input : std::span(step.inputs, step.input_count)) {
        if (input.present == 0) {
            core::put(out, kAbsentInput);
        } else {
            core::put(out, static_cast<std::uint32_t>(input.size));
            core::put_bytes(out, std::as_bytes(std::span(input.data, input.size)));
        }
    }
}

core::Result<std::vector<std::string>> part_names_in(std::span<const std::byte> body) {
    core::ByteReader reader(body);
    const auto count = reader.get<std::uint32_t>();
    if (count == 0 || count > ISOTICK_MOST_PARTS) {
        return core::fail(core::ErrorCode::simulation,
                          "its process answered with " + std::to_string(count) + " parts; 1 to " +
                              std::to_string(ISOTICK_MOST_PARTS) + " are allowed");
    }
    std::vector<std::string> names;
    for (std::uint32_t i = 0; i < count; ++i) {
        names.push_back(reader.string());
    }
    if (!reader.ok()) {
        return core::fail(core::ErrorCode::simulation,
                          "its process answered with names of parts that end too early");
    }
    return names;
}

}  // namespace isotick::harness
