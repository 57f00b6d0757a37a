// Records a session of pads, for a tool that counts what Recorder::record takes.
//
// Usage: isotick_recorder_ticks FILE TICKS PLAYERS unchanged|changing

#include <isotick/replay/recorder.hpp>

#include <array>
#include <charconv>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <string_view>
#include <vector>

namespace {

using namespace isotick;

std::uint64_t number(std::string_view text) {
    std::uint64_t value = 0;
    std::from_chars(text.data(), text.data() + text.size(), value);
    return value;
}

bool record(const char* path, std::uint64_t ticks, std::uint32_t players, bool changes) {
    replay::RecordingHead head;
    head.session.simulation = "pads";
    head.session.players = players;
    auto recorder = replay::Recorder::create(
        path, head, {}, {.overwrite = true, .durable = false, .patience_ms = 60'000});
    std::vector<std::array<std::uint8_t, 8>> pads(players);
    std::vector<isotick_input> inputs;
    for (std::uint32_t player = 0; player < players; ++player) {
        inputs.push_back({player, 1, 8, pads[player].data()});
    }
    inputs.push_back({ISOTICK_WORLD, 0, 0, nullptr});
    replay::TickHashes hashes;
    bool recorded = recorder.has_value();
    for (std::uint64_t tick = 0; recorded && tick < ticks; ++tick) {
        const std::uint64_t mixed = changes ? tick * 0x9e3779b97f4a7c15 : 0;
        if (players > 0) {
            std::memcpy(pads.front().data(), &mixed, sizeof mixed);
        }
        hashes.state = core::StateHash{tick};
        recorded = recorder->record(core::Tick{tick}, inputs, &hashes).has_value();
    }
    return recorded && recorder->finish(hashes).has_value();
}

}  // namespace

int main(int count, char** arguments) {
    if (count != 5) {
        std::fputs("usage: isotick_recorder_ticks FILE TICKS PLAYERS unchanged|changing\n", stderr);
        return 2;
    }
    const bool changes = std::string_view(arguments[4]) == "changing";
    const auto players = static_cast<std::uint32_t>(number(arguments[3]));
    return record(arguments[1], number(arguments[2]), players, changes) ? 0 : 1;
}
