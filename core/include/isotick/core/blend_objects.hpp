#pragma once
// Blending worlds in which objects come and go between two states (Fiedler's answer of 3 February
// 2009 on "Fix Your Timestep!": what was just created is shown as it is, what is gone is not).

#include <ranges>

namespace isotick::core {

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
