#include "arena.hpp"

#include <algorithm>
#include <cstdlib>

namespace isotick::controls {
namespace {

constexpr std::uint32_t kUnits = 16;

void steer(Unit& unit, std::uint8_t buttons, std::vector<Shot>& shots) {
    const auto axis = [buttons](std::uint8_t less, std::uint8_t more) {
        return ((buttons & more) != 0 ? 8 : 0) - ((buttons & less) != 0 ? 8 : 0);
    };
    unit.velocity.x = std::clamp(unit.velocity.x + axis(kLeft, kRight), -128, 128);
    unit.velocity.y = std::clamp(unit.velocity.y + axis(kUp, kDown), -128, 128);
    if ((buttons & kFire) != 0 && unit.cooldown == 0) {
        shots.push_back({unit.id, unit.position, {4 * unit.velocity.x, 4 * unit.velocity.y}, 30});
        unit.cooldown = 10;
    }
}

void bounce(std::int32_t& place, std::int32_t& speed) {
    place += speed;
    if (place < 0 || place >= kSide) {
        speed = -speed;
        place = std::clamp(place, 0, kSide - 1);
    }
}

void fly(World& world) {
    for (Shot& shot : world.shots) {
        shot.position.x += shot.velocity.x;
        shot.position.y += shot.velocity.y;
        --shot.left;
        for (Unit& unit : world.units) {
            const bool near = std::abs(unit.position.x - shot.position.x) < 256 &&
                              std::abs(unit.position.y - shot.position.y) < 256;
            if (near && unit.id != shot.owner && shot.left > 0) {
                unit.health -= 10;
                shot.left = 0;
            }
        }
    }
    std::erase_if(world.shots, [](const Shot& shot) { return shot.left == 0; });
}

}  // namespace

World make_world(std::uint64_t seed) {
    World world;
    world.random = core::Pcg32(seed);
    for (std::uint32_t id = 1; id <= kUnits; ++id) {
        Unit unit;
        unit.id = id;
        unit.position.x = static_cast<std::int32_t>(world.random.below(kSide));
        unit.position.y = static_cast<std::int32_t>(world.random.below(kSide));
        unit.target = id % kUnits + 1;
        world.units.push_back(unit);
        world.turns.push_back(id);
    }
    return world;
}

void play(World& world, const core::Step& step) {
    for (std::size_t i = 0; i < world.units.size(); ++i) {
        Unit& unit = world.units[i];
        unit.cooldown -= unit.cooldown > 0 ? 1 : 0;
        if (i < step.inputs.players()) {
            steer(unit, pressed(step, i), world.shots);
        } else if (world.random.chance(1, 16)) {
            const std::uint32_t buttons = world.random.below(32);
            steer(unit, static_cast<std::uint8_t>(buttons), world.shots);
        }
        bounce(unit.position.x, unit.velocity.x);
        bounce(unit.position.y, unit.velocity.y);
        if (unit.health <= 0) {
            unit.health = 100;
            unit.position = {kSide / 2, kSide / 2};
        }
    }
    fly(world);
    if (ends_wave(step)) {
        ++world.wave.number;
        world.wave.strength += 2;
    }
}

std::uint8_t pressed(const core::Step& step, std::size_t player) {
    const auto input = step.inputs.of(player);
    return input && !input->empty() ? input->front() : std::uint8_t{0};
}

std::int32_t advance_of(const Unit& unit) {
    return unit.position.x + unit.position.y;
}

}  // namespace isotick::controls
