#pragma once
// The world of the rollback game: ships that turn, drift and run hot. All of it is integers. It is
// the game's state, and by itself a simulation that isotick replays (ships.cpp).

#include "rollback.hpp"

#include <isotick/core/adapter.hpp>

#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

#include <cereal/types/vector.hpp>

struct Ship {
    std::int32_t x = 0;
    std::int32_t y = 0;
    std::int32_t speed = 0;
    std::uint32_t heat = 0;

    template <class Archive>
    void serialize(Archive& archive) {
        archive(CEREAL_NVP(x), CEREAL_NVP(y), CEREAL_NVP(speed), CEREAL_NVP(heat));
    }
};

struct Ships {
    static constexpr isotick::core::SimulationInfo kInfo{
        .name = "ships", .most_players = 16, .usual_players = 2};

    explicit Ships(std::size_t count) : ships(count) {}
    explicit Ships(const isotick::core::SimulationSetup& setup) : Ships(setup.players) {}

    /// Each ship's input; kGone for those that are not there any more.
    void step(const std::vector<Input>& inputs) {
        for (std::size_t i = 0; i < ships.size(); ++i) {
            Ship& ship = ships[i];
            const Input input = inputs[i];
            random = random * 1664525U + 1013904223U;
            if (input == kGone) {
                ship.speed = 0;
                continue;
            }
            ship.speed += (input & 1U) != 0 ? 3 : -(ship.speed > 0 ? 1 : 0);
            ship.heat = (input & 2U) != 0 ? ship.heat + (random >> 28U) : ship.heat / 2;
            ship.x += ship.speed;
            ship.y += (input & 4U) != 0 ? ship.speed : -ship.speed;
        }
    }

    void step(const isotick::core::Step& step) {
        std::vector<Input> inputs;
        for (std::uint32_t player = 0; player < ships.size(); ++player) {
            const auto input = step.inputs.of(player);
            inputs.push_back(input && !input->empty() ? input->front() : kGone);
        }
        this->step(inputs);
    }

    [[nodiscard]] std::vector<std::uint8_t> snapshot() const {
        std::vector<std::uint8_t> bytes(ships.size() * sizeof(Ship) + sizeof random);
        std::memcpy(bytes.data(), ships.data(), ships.size() * sizeof(Ship));
        std::memcpy(bytes.data() + ships.size() * sizeof(Ship), &random, sizeof random);
        return bytes;
    }
    /// A mistake: `but_random` leaves the generator as it is.
    void restore(const std::vector<std::uint8_t>& bytes, bool but_random) {
        std::memcpy(ships.data(), bytes.data(), ships.size() * sizeof(Ship));
        if (!but_random) {
            std::memcpy(&random, bytes.data() + ships.size() * sizeof(Ship), sizeof random);
        }
    }

    template <class Archive>
    void serialize(Archive& archive) {
        archive(CEREAL_NVP(ships), CEREAL_NVP(random));
    }

    std::vector<Ship> ships;
    std::uint32_t random = 12345;
};
