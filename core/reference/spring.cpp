#include "spring.hpp"

#include "config_keys.hpp"

#include <isotick/core/blend.hpp>
#include <isotick/core/random.hpp>

namespace isotick::core::reference {
namespace {

constexpr double kStiffness = 15.0;           // newtons per metre
constexpr double kDamping = 0.1;              // newton seconds per metre
constexpr std::uint32_t kTicksPerInput = 30;  // of the bot, on average
constexpr std::uint32_t kInputsPerEmptyOne = 4;

Integrator integrator_from(const Settings& config) {
    const auto text = config.find("integrator");
    return text ? take_setting(parse_integrator(*text)) : Integrator::rk4;
}

double start_position(const SimulationSetup& setup) {
    constexpr std::uint64_t kMost = 1000;
    const std::uint64_t drawn = 50 + Pcg32(setup.seed).below(101);
    return static_cast<double>(take_setting(setup.config.number("position", drawn, 0, kMost)));
}

}  // namespace

Spring::Spring(const SimulationSetup& setup) {
    require_known_keys(setup.config, {"integrator", "position"});
    integrator_ = integrator_from(setup.config);
    body_.position = start_position(setup);
    previous_position_ = body_.position;
    drawn_position_ = body_.position;
}

void Spring::step(const Step& step) {
    if (step.inputs.players() != 0) {
        if (const auto input = step.inputs.of(0)) {
            take_input(*input);
        }
    }
    previous_position_ = body_.position;
    const double push = push_;
    const auto acceleration = [push](const Motion<double>& at, double) {
        return -kStiffness * at.position - kDamping * at.velocity + push;
    };
    const Motion<double>& now = body_;
    body_ = Body{integrate(integrator_, now, 0.0, step.dt_seconds, acceleration)};
}

void Spring::take_input(std::span<const std::uint8_t> bytes) {
    if (bytes.size() <= 1) {
        push_ = bytes.empty() ? std::int8_t{0} : static_cast<std::int8_t>(bytes[0]);
    }
}

void Spring::render(double alpha) {
    drawn_position_ = lerp(previous_position_, body_.position, alpha);
}

bool Spring::propose_input(const Proposal& proposal, std::vector<std::uint8_t>& bytes) const {
    if (proposal.player == ISOTICK_WORLD) {
        return false;
    }
    Pcg32 chance(proposal.entropy);
    if (chance.below(kTicksPerInput) != 0) {
        return false;
    }
    if (chance.below(kInputsPerEmptyOne) != 0) {
        bytes.push_back(static_cast<std::uint8_t>(chance.below(256)));
    }
    return true;
}

}  // namespace isotick::core::reference
