// The bot of a pile: now and then it pushes or drops something, from nothing but entropy.

#include "pile.hpp"

namespace isotick::core::reference {
namespace {

constexpr std::uint32_t kTicksPerInput = 40;  // on average
constexpr std::uint32_t kInputsPerEmptyOne = 16;
constexpr std::uint32_t kMostCommands = 3;
constexpr std::uint32_t kCommandsPerDrop = 4;

pile::Command any_command(Pcg32& chance, std::uint32_t bodies) {
    pile::Command command;
    command.kind =
        chance.below(kCommandsPerDrop) == 0 ? pile::CommandKind::drop : pile::CommandKind::push;
    command.body = static_cast<std::uint16_t>(chance.below(bodies));
    if (command.kind == pile::CommandKind::drop) {
        command.x = static_cast<std::uint8_t>(chance.below(256));
    } else {
        command.right = static_cast<std::int8_t>(chance.between(-100, 100));
        command.up = static_cast<std::int8_t>(chance.between(-20, 120));
    }
    return command;
}

}  // namespace

bool Pile::propose_input(const Proposal& proposal, std::vector<std::uint8_t>& bytes) const {
    if (proposal.player == ISOTICK_WORLD) {
        return false;
    }
    Pcg32 chance(proposal.entropy, proposal.player);
    if (chance.below(kTicksPerInput) != 0) {
        return false;
    }
    if (chance.below(kInputsPerEmptyOne) != 0) {
        const auto bodies = static_cast<std::uint32_t>(bodies_.size()) - pile::kWalls;
        const std::uint32_t count = 1 + chance.below(kMostCommands);
        for (std::uint32_t i = 0; i < count; ++i) {
            append_command(any_command(chance, bodies), bytes);
        }
    }
    return true;
}

}  // namespace isotick::core::reference
