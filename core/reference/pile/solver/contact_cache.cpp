#include "contact_cache.hpp"

#include <tuple>

namespace isotick::core::reference::pile {
namespace {

auto key_of(const Contact& contact) {
    return std::tuple(contact.a, contact.b, contact.feature);
}

}  // namespace

void take_impulses(std::span<const Contact> cache, std::span<Constraint> constraints) {
    auto old = cache.begin();
    for (Constraint& each : constraints) {
        while (old != cache.end() && key_of(*old) < key_of(each.contact)) {
            ++old;
        }
        if (old != cache.end() && key_of(*old) == key_of(each.contact)) {
            each.contact = *old;
        }
    }
}

void keep_impulses(std::span<const Constraint> constraints, std::span<const Body> bodies,
                   std::span<const Island> islands, std::vector<Contact>& cache,
                   std::vector<Contact>& scratch) {
    const auto sleeps = [&](const Contact& contact) {
        return contact.b < bodies.size() && is_asleep(bodies[contact.b], islands);
    };
    scratch.clear();
    auto next = constraints.begin();
    for (const Contact& old : cache) {
        if (!sleeps(old)) {
            continue;
        }
        while (next != constraints.end() && key_of(next->contact) < key_of(old)) {
            scratch.push_back(next->contact);
            ++next;
        }
        scratch.push_back(old);
    }
    for (; next != constraints.end(); ++next) {
        scratch.push_back(next->contact);
    }
    cache.swap(scratch);
}

}  // namespace isotick::core::reference::pile
