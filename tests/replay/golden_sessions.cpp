#include "golden_sessions.hpp"

#include <cassert>
#include <string_view>

namespace isotick::replay {
namespace {

void set(core::Settings& settings, const char* key, const char* value) {
    [[maybe_unused]] const auto done = settings.set(key, value);
    assert(done);
}

}  // namespace

FakeSession golden_session() {
    FakeSession session;
    session.head.session.simulation = "golden";
    session.head.session.players = 3;
    session.head.session.rate = core::TickRate::make(30000, 1001).value();
    set(session.head.session.config, "map", "canyon");
    set(session.head.session.config, "difficulty", "");
    set(session.head.notes, "build", "example-build");
    session.head.hash_every = 4;
    session.head.parts_every = 20;
    session.head.part_names = {"balls", "paddles"};
    session.ticks = 75;
    session.input = mixed_input;
    return session;
}

FakeSession golden_zstd_session() {
    FakeSession session;
    session.head.session.simulation = "golden";
    session.head.session.players = 1;
    session.ticks = 100;
    session.input = [](std::uint64_t tick, std::uint32_t column) {
        const std::string_view text =
            tick % 10 < 5 ? "move to the north and attack" : "move to the south and build a tower";
        return column == 0 ? Input(std::vector<std::uint8_t>(text.begin(), text.end())) : Input();
    };
    return session;
}

FakeSession golden_dt_session() {
    FakeSession session = golden_session();
    session.dt = [](std::uint64_t tick) {
        const bool alike = tick % 32 < 8 || tick % 32 > 12;
        switch (tick / 32) {
            case 0:
                return tick < 16 ? std::nullopt : mixed_dt(tick);  // as measured
            case 1:
                return alike ? std::nullopt : mixed_dt(tick + 16);  // without a common denominator
            default:
                return std::optional(core::TickDt::make(1, 25).value());
        }
    };
    return session;
}

FakeSession golden_dt_zstd_session() {
    FakeSession session;
    session.head.session.simulation = "golden";
    session.ticks = 100;
    session.dt = [](std::uint64_t tick) {
        constexpr std::uint64_t kRates[] = {30, 60, 75, 144, 240};
        return core::TickDt::make(1, kRates[tick % 5]).value();
    };
    return session;
}

FakeSession example_session() {
    FakeSession session;
    session.head.session.simulation = "pong";
    session.head.session.players = 2;
    session.head.session.seed = 7;
    session.head.session.rate = core::TickRate::make(10, 1).value();
    set(session.head.session.config, "speed", "3");
    session.head.hash_every = 2;
    session.head.part_names = {"state"};
    session.ticks = 5;
    session.input = [](std::uint64_t tick, std::uint32_t column) {
        const auto stick = static_cast<std::uint8_t>(tick < 2 ? 0x80 : 0x80 + tick);
        return column == 1 && tick > 0 ? Input(std::vector<std::uint8_t>{0x01, stick}) : Input();
    };
    return session;
}

FakeSession example_dt_session() {
    FakeSession session = example_session();
    session.dt = [](std::uint64_t tick) {
        constexpr std::uint64_t kRates[] = {10, 20, 20, 40, 10};
        return core::TickDt::make(1, kRates[tick]).value();
    };
    return session;
}

}  // namespace isotick::replay
