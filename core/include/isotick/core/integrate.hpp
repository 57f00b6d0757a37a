#pragma once
// Numerical integration of one tick: from the simplest Euler step to RK4, and the exact step for a
// constant acceleration. Nothing but IEEE + − × ÷, in the order written.

#include <isotick/core/result.hpp>

#include <array>
#include <concepts>
#include <string_view>

namespace isotick::core {

/// Where something is and how fast it moves. `V` may be a number, a vector, or all bodies of a
/// coupled system in one: bodies that act on each other cannot be integrated one by one.
template <class V>
struct Motion {
    V position{};
    V velocity{};
    friend bool operator==(const Motion&, const Motion&) = default;
};

/// A number type whose bits are the same everywhere (long double's are not).
template <class S>
concept Real = std::same_as<S, float> || std::same_as<S, double>;

/// What the integrators ask of a position or velocity. The operators must return V, or something
/// that becomes one.
template <class V, class S>
concept Vector = Real<S> && requires(const V& v, S s) {
    { v + v } -> std::convertible_to<V>;
    { v* s } -> std::convertible_to<V>;
    { v / s } -> std::convertible_to<V>;
};

/// An acceleration as a function of motion and time (seconds). It is called in a fixed order and
/// must give equal results for equal arguments.
template <class A, class V, class S>
concept Acceleration = Vector<V, S> && requires(const A& a, const Motion<V>& m, S t) {
    { a(m, t) } -> std::convertible_to<V>;
};

// All of the following advance `now` from `t` to `t + dt` (seconds) and return the new motion.
// They allocate nothing and are as thread-safe as `acceleration`. Compile simulations with
// -ffp-contract=off (isotick's own targets do): a fused multiply-add changes the bits.

/// First order; adds energy to springs and orbits. One evaluation.
template <class V, Real S, Acceleration<V, S> A>
[[nodiscard]] Motion<V> explicit_euler(const Motion<V>& now, S t, S dt, const A& acceleration) {
    return {now.position + now.velocity * dt, now.velocity + acceleration(now, t) * dt};
}

/// First order, but symplectic: energy stays bounded. Velocity first, then position with the new
/// velocity. One evaluation.
template <class V, Real S, Acceleration<V, S> A>
[[nodiscard]] Motion<V> semi_implicit_euler(const Motion<V>& now, S t, S dt,
                                            const A& acceleration) {
    const V velocity = now.velocity + acceleration(now, t) * dt;
    return {now.position + velocity * dt, velocity};
}

/// The exact step while the acceleration is constant: p += v·dt + ½·a·dt², v += a·dt. As many
/// steps as one likes arrive where one long step does, up to rounding.
/// Source: "Cross-platform SDL 2 game loop time steps, RK4 integration", "Constant Acceleration?".
template <class V, Real S>
requires Vector<V, S>
[[nodiscard]] Motion<V> constant_acceleration(const Motion<V>& now, S dt, const V& acceleration) {
    return {now.position + (now.velocity * dt + acceleration * S(0.5) * dt * dt),
            now.velocity + acceleration * dt};
}

/// Second order, symplectic where the acceleration depends on position alone. Where it depends on
/// velocity too (drag), its second evaluation sees the velocity an Euler step predicts, which
/// keeps the order. Two evaluations.
template <class V, Real S, Acceleration<V, S> A>
[[nodiscard]] Motion<V> velocity_verlet(const Motion<V>& now, S t, S dt, const A& acceleration) {
    const V before = acceleration(now, t);
    const Motion<V> predicted = constant_acceleration(now, dt, before);
    const V after = acceleration(predicted, t + dt);
    return {predicted.position, now.velocity + (before + after) * S(0.5) * dt};
}

/// How a motion changes: the derivative of position is velocity, that of velocity acceleration.
template <class V>
struct Derivative {
    V velocity{};
    V acceleration{};
};

/// The derivative at `t + dt` after an Euler step from `now` along `slope`: one sample of RK4.
template <class V, Real S, Acceleration<V, S> A>
[[nodiscard]] Derivative<V> evaluate(const Motion<V>& now, S t, S dt, const Derivative<V>& slope,
                                     const A& acceleration) {
    const Motion<V> there{now.position + slope.velocity * dt,
                          now.velocity + slope.acceleration * dt};
    return {there.velocity, acceleration(there, t + dt)};
}

/// Second order (the midpoint rule): a whole step along the slope found half a step ahead. Two
/// evaluations.
template <class V, Real S, Acceleration<V, S> A>
[[nodiscard]] Motion<V> rk2(const Motion<V>& now, S t, S dt, const A& acceleration) {
    const Derivative<V> a{now.velocity, acceleration(now, t)};
    const Derivative<V> b = evaluate(now, t, dt * S(0.5), a, acceleration);
    return {now.position + b.velocity * dt, now.velocity + b.acceleration * dt};
}

/// Fourth order: four samples, weighted (a + 2(b + c) + d) / 6. Not symplectic: energy drifts,
/// slowly. Four evaluations; all forces must be computed anew in each.
/// Source: "Cross-platform SDL 2 game loop …", "Game Loop with RK4 for Physics, detail".
template <class V, Real S, Acceleration<V, S> A>
[[nodiscard]] Motion<V> rk4(const Motion<V>& now, S t, S dt, const A& acceleration) {
    const Derivative<V> a{now.velocity, acceleration(now, t)};
    const Derivative<V> b = evaluate(now, t, dt * S(0.5), a, acceleration);
    const Derivative<V> c = evaluate(now, t, dt * S(0.5), b, acceleration);
    const Derivative<V> d = evaluate(now, t, dt, c, acceleration);
    const auto weighted = [](const V& first, const V& second, const V& third, const V& fourth) {
        return V((first + (second + third) * S(2) + fourth) / S(6));
    };
    const V velocity = weighted(a.velocity, b.velocity, c.velocity, d.velocity);
    const V change = weighted(a.acceleration, b.acceleration, c.acceleration, d.acceleration);
    return {now.position + velocity * dt, now.velocity + change * dt};
}

/// The integrators that take an acceleration function, to choose from at run time.
enum class Integrator { euler, semi_implicit_euler, velocity_verlet, rk2, rk4 };

inline constexpr std::array kIntegrators{Integrator::euler, Integrator::semi_implicit_euler,
                                         Integrator::velocity_verlet, Integrator::rk2,
                                         Integrator::rk4};

/// `euler`, `semi-implicit-euler`, `velocity-verlet`, `rk2`, `rk4`.
[[nodiscard]] std::string_view to_string(Integrator integrator);

/// Reads what to_string writes; fails (usage) on anything else, naming the choices.
[[nodiscard]] Result<Integrator> parse_integrator(std::string_view text);

/// One step of the integrator chosen.
template <class V, Real S, Acceleration<V, S> A>
[[nodiscard]] Motion<V> integrate(Integrator integrator, const Motion<V>& now, S t, S dt,
                                  const A& acceleration) {
    switch (integrator) {
        case Integrator::euler:
            return explicit_euler(now, t, dt, acceleration);
        case Integrator::semi_implicit_euler:
            return semi_implicit_euler(now, t, dt, acceleration);
        case Integrator::velocity_verlet:
            return velocity_verlet(now, t, dt, acceleration);
        case Integrator::rk2:
            return rk2(now, t, dt, acceleration);
        case Integrator::rk4:
            break;
    }
    return rk4(now, t, dt, acceleration);
}

}  // namespace isotick::core
