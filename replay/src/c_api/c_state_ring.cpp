#include "c_support.hpp"

#include <isotick/core/snapshot.hpp>
#include <isotick/replay/isotick.h>
#include <isotick/replay/state_ring.hpp>

struct isotick_state_ring {
    isotick::replay::StateRing ring;
};

namespace {

using isotick::core::ErrorCode;
using isotick::core::Result;
namespace core = isotick::core;
namespace c_api = isotick::replay::c_api;

constexpr std::uint32_t kMostStates = 65'536;

}  // namespace

std::int32_t isotick_state_ring_create(const char* simulation, const char* hash_algorithm,
                                       std::uint32_t states, isotick_state_ring** out,
                                       isotick_message* message) {
    *out = nullptr;
    return c_api::guard(message, [&]() -> Result<void> {
        if (simulation == nullptr || states == 0 || states > kMostStates) {
            return core::fail(ErrorCode::usage,
                              "the ring needs a simulation's name and room for 1 to 65536 states");
        }
        const std::string algorithm(hash_algorithm == nullptr ? core::kHashAlgorithm
                                                              : std::string_view(hash_algorithm));
        *out = new isotick_state_ring{{simulation, states, algorithm}};
        return {};
    });
}

void isotick_state_ring_destroy(isotick_state_ring* ring) {
    delete ring;
}

std::int32_t isotick_state_ring_keep(isotick_state_ring* ring, std::uint64_t ticks_done,
                                     std::uint64_t state_hash, const void* fields,
                                     std::uint64_t size, isotick_message* message) {
    return c_api::guard(message, [&]() -> Result<void> {
        if (size > core::kLargestState) {
            return core::fail(ErrorCode::limit, "the state is larger than a state dump may be");
        }
        return ring->ring.keep(
            ticks_done, {state_hash},
            {static_cast<const std::byte*>(fields), static_cast<std::size_t>(size)});
    });
}

std::int32_t isotick_state_ring_write(const isotick_state_ring* ring, std::uint64_t ticks_done,
                                      const char* path, isotick_message* message) {
    return c_api::guard(message, [&]() -> Result<void> {
        if (path == nullptr) {
            return core::fail(ErrorCode::usage, "the path is missing");
        }
        return ring->ring.write(ticks_done, c_api::path_from_c(path));
    });
}
