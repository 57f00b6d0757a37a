#pragma once
// Blending the previous and the current state for rendering ("The final touch"), and guessing
// past the current one. For what is shown only: the quaternion and angle functions use libm, whose
// last bit differs between machines, so none of their results may find its way back into state.

#include <cmath>
#include <concepts>
#include <numbers>
#include <ranges>
#include <type_traits>

namespace isotick::core {

/// From `previous` (alpha 0) to `current` (alpha 1), for numbers and for vectors (anything with +
/// and - among themselves and * by a number). The form is `p + (c - p) * alpha`, with the ends
/// taken as they are: exact at both ends, monotone in alpha, never past `current`, constant where
/// the ends are equal. (The article's `c * alpha + p * (1 - alpha)` moves between equal ends.) An
/// alpha outside [0, 1] counts as the nearer end; c - p must not overflow.
///
/// Never past `current`: below 1, alpha takes at least the last bit off c - p, and rounding c - p
/// had added at most half of it. An alpha of another type is first rounded to that of the numbers.
template <class V, std::floating_point T>
[[nodiscard]] V lerp(const V& previous, const V& current, T alpha) {
    using Weight = std::conditional_t<std::is_floating_point_v<V>, V, T>;
    const auto weight = static_cast<Weight>(alpha);
    if (weight <= 0) {
        return previous;
    }
    return weight >= 1 ? current : V(previous + (current - previous) * weight);
}

/// Angles in radians, taking the short way round; exact at both ends. Half a turn either way is
/// equally short: it then turns whichever way the rounded difference points.
template <std::floating_point T>
[[nodiscard]] T lerp_angle(T previous, T current, T alpha) {
    if (alpha <= 0) {
        return previous;
    }
    const T turn = std::remainder(current - previous, 2 * std::numbers::pi_v<T>);
    return alpha >= 1 ? current : previous + turn * alpha;
}

/// Guesses `alpha` ticks past `current` by going on as from `previous` to `current`: no tick of
/// latency, but wrong whenever something bounces. Exact at alpha 0.
template <class V, std::floating_point T>
[[nodiscard]] V extrapolate(const V& previous, const V& current, T alpha) {
    return alpha <= 0 ? current : V(current + (current - previous) * alpha);
}

/// Blends two guesses instead of two states, for hosts that want no tick of latency and no jump at
/// each tick: from `previous` extrapolated by a tick (`before` is the state before it) to `current`
/// extrapolated by a tick. Where nothing changes its velocity it is exactly extrapolate(previous,
/// current, alpha); where something does, the error of one guess runs into that of the next
/// instead of snapping. Source: Fiedler, comment of 20 July 2015 on "Fix Your Timestep!".
template <class V, std::floating_point T>
[[nodiscard]] V blend_extrapolated(const V& before, const V& previous, const V& current, T alpha) {
    return lerp(extrapolate(before, previous, T(1)), extrapolate(previous, current, T(1)), alpha);
}

/// Guesses `seconds` past `position` at constant velocity; `seconds` is alpha × dt.
template <class V, std::floating_point T>
[[nodiscard]] V extrapolate_velocity(const V& position, const V& velocity, T seconds) {
    return position + velocity * seconds;
}

/// Any aggregate or class with members w, x, y, z of one floating-point type.
template <class Q>
concept QuaternionType = std::copyable<Q> && std::floating_point<decltype(Q::w)> &&
    std::same_as<decltype(Q::x), decltype(Q::w)> && std::same_as<decltype(Q::y), decltype(Q::w)> &&
    std::same_as<decltype(Q::z), decltype(Q::w)>;

/// `a` × `weight_a` + `b` × `weight_b`, component by component.
template <QuaternionType Q, std::floating_point T>
[[nodiscard]] Q weighted_sum(const Q& a, T weight_a, const Q& b, T weight_b) {
    Q sum = a;
    sum.w = a.w * weight_a + b.w * weight_b;
    sum.x = a.x * weight_a + b.x * weight_b;
    sum.y = a.y * weight_a + b.y * weight_b;
    sum.z = a.z * weight_a + b.z * weight_b;
    return sum;
}

/// `q` at length 1. A zero quaternion gives NaN.
template <QuaternionType Q>
[[nodiscard]] Q normalized(Q q) {
    const auto length = std::sqrt(q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z);
    q.w /= length;
    q.x /= length;
    q.y /= length;
    q.z /= length;
    return q;
}

/// The rotation at `position` of the great circle through `a` (0) and `b` (1), the shorter way
/// round; positions outside [0, 1] go on along it. What slerp and extrapolate_rotation stand on.
template <QuaternionType Q, std::floating_point T>
[[nodiscard]] Q along_arc(const Q& a, const Q& b, T position) {
    constexpr T kNearlyParallel = T(0.9995);
    const T signed_cosine = a.w * b.w + a.x * b.x + a.y * b.y + a.z * b.z;
    const T way = signed_cosine < 0 ? T(-1) : T(1);  // b and -b are the same rotation
    const T cosine = signed_cosine * way;
    if (cosine > kNearlyParallel) {
        // The sine below would vanish; on so short an arc the chord is as good.
        return normalized(weighted_sum(a, 1 - position, b, position * way));
    }
    const T angle = std::acos(cosine);
    const T sine = std::sin(angle);
    return weighted_sum(a, std::sin((1 - position) * angle) / sine, b,
                        std::sin(position * angle) / sine * way);
}

/// Blends unit quaternions at constant angular velocity, the shorter way round; exact at both
/// ends. Where that means turning towards -`current`, which is the same rotation, only alpha 1
/// returns `current` with the sign given. Half a turn apart, the way is the one without that flip.
/// Source: Shoemake, "Animating Rotation with Quaternion Curves" (1985).
template <QuaternionType Q, std::floating_point T>
[[nodiscard]] Q slerp(const Q& previous, const Q& current, T alpha) {
    if (alpha <= 0) {
        return previous;
    }
    return alpha >= 1 ? current : along_arc(previous, current, alpha);
}

/// Guesses `alpha` ticks past `current` by going on turning as from `previous` to `current`.
template <QuaternionType Q, std::floating_point T>
[[nodiscard]] Q extrapolate_rotation(const Q& previous, const Q& current, T alpha) {
    return alpha <= 0 ? current : along_arc(previous, current, 1 + alpha);
}

// Worlds in which objects come and go between two states (Fiedler's answer of 3 February 2009 on
// "Fix Your Timestep!": what was just created is shown as it is, what is gone is not).

/// Calls `show(before, now)` for every object of `current`, in order: `before` points to the same
/// object in `previous`, or is null for one that was created since: there is nothing to blend, show
/// it as it is. Objects that only `previous` has are gone, and not shown. What is the same object
/// is told by `id_of(object)`; both ranges must be in ascending order of it, each id once. Linear
/// in both sizes.
template <std::ranges::forward_range Objects, class IdOf, class Show>
void for_each_shown(const Objects& previous, const Objects& current, const IdOf& id_of,
                    const Show& show) {
    auto before = std::ranges::begin(previous);
    const auto end = std::ranges::end(previous);
    for (const auto& now : current) {
        while (before != end && id_of(*before) < id_of(now)) {
            ++before;
        }
        const bool same = before != end && !(id_of(now) < id_of(*before));
        show(same ? &*before : nullptr, now);
    }
}

/// The same, and calls `fade(gone)` for each object that only `previous` has, for hosts that fade
/// out what is gone.
template <std::ranges::forward_range Objects, class IdOf, class Show, class Fade>
void for_each_shown(const Objects& previous, const Objects& current, const IdOf& id_of,
                    const Show& show, const Fade& fade) {
    for_each_shown(previous, current, id_of, show);
    for_each_shown(current, previous, id_of, [&fade](const auto* now, const auto& before) {
        if (now == nullptr) {
            fade(before);
        }
    });
}

}  // namespace isotick::core
