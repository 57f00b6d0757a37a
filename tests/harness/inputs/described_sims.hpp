#pragma once
// Simulations that describe their inputs and refuse all that make no sense.

#include <isotick/core/adapter.hpp>
#include <isotick/core/detail/described_input.hpp>

#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

#include <cereal/types/string.hpp>
#include <cereal/types/vector.hpp>

namespace isotick::harness {

enum class Move : std::uint8_t { stay, left, right };

inline const char* isotick_enum_name(Move move) {
    switch (move) {
        case Move::stay:
            return "stay";
        case Move::left:
            return "left";
        case Move::right:
            return "right";
    }
    return "";
}

/// Three bytes, of which few mean something: one in 27,000 is an input.
struct Pad {
    bool jump = false;
    Move move = Move::stay;
    std::int8_t aim = 0;

    template <class Archive>
    void serialize(Archive& archive) {
        archive(CEREAL_NVP(jump), CEREAL_NVP(move), CEREAL_NVP(aim));
    }
};

/// Fails over every input that is no Pad, or has a move without name; says nothing about them.
struct Silent {
    static constexpr core::SimulationInfo kInfo{
        .name = "silent", .most_players = 2, .usual_players = 2};

    void step(const core::Step& step) {
        for (std::size_t player = 0; player < step.inputs.players(); ++player) {
            if (const auto bytes = step.inputs.of(player)) {
                const Pad pad = core::read_input<Pad>(*bytes);
                if (std::string(isotick_enum_name(pad.move)).empty()) {
                    throw std::runtime_error("there is no such move");
                }
                sum += pad.aim;
            }
        }
    }

    template <class Archive>
    void serialize(Archive& archive) {
        archive(CEREAL_NVP(sum));
    }

    std::int64_t sum = 0;
};

/// The same, but describes its inputs.
struct Strict : Silent {
    static constexpr core::SimulationInfo kInfo{
        .name = "strict", .most_players = 2, .usual_players = 2};
    using Input = Pad;

    template <class Archive>
    void serialize(Archive& archive) {
        Silent::serialize(archive);
    }
};

enum class Order : std::uint8_t { missing = 0, go = 3, wait = 8 };

inline const char* isotick_enum_name(Order order) {
    return order == Order::go ? "go" : order == Order::wait ? "wait" : "";
}

struct Command {
    Order order = Order::missing;
    std::uint16_t angle = 0;  // degrees, of those that go
    double force = 0.5;

    template <class Archive>
    void serialize(Archive& archive) {
        archive(CEREAL_NVP(order));
        if (order == Order::go) {
            archive(CEREAL_NVP(angle));
            if (angle > 359) {
                throw std::invalid_argument("no such angle");
            }
        }
        archive(CEREAL_NVP(force));
    }
};

/// Of any length, with fields that depend on others.
struct Commands {
    std::vector<Command> commands;
    std::uint64_t flags = 0;
    std::string text;

    template <class Archive>
    void serialize(Archive& archive) {
        archive(CEREAL_NVP(commands), CEREAL_NVP(flags), CEREAL_NVP(text));
    }
};

}  // namespace isotick::harness
