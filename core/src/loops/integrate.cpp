#include <isotick/core/integrate.hpp>

#include <string>

namespace isotick::core {

std::string_view to_string(Integrator integrator) {
    switch (integrator) {
        case Integrator::euler:
            return "euler";
        case Integrator::semi_implicit_euler:
            return "semi-implicit-euler";
        case Integrator::velocity_verlet:
            return "velocity-verlet";
        case Integrator::rk2:
            return "rk2";
        case Integrator::rk4:
            break;
    }
    return "rk4";
}

Result<Integrator> parse_integrator(std::string_view text) {
    std::string choices;
    for (const Integrator integrator : kIntegrators) {
        if (text == to_string(integrator)) {
            return integrator;
        }
        choices += choices.empty() ? "" : ", ";
        choices += to_string(integrator);
    }
    return fail(ErrorCode::usage,
                "'" + std::string(text) + "' is not an integrator; choose from " + choices);
}

}  // namespace isotick::core
