#pragma once
// The shared library that a simulation comes from.

#include "../names/global_variables.hpp"

#include <isotick/core/plugin.h>

#include <cstdint>
#include <optional>
#include <vector>

namespace isotick::harness {

struct OwnLibrary {
    std::uint64_t base = 0;              ///< where it is loaded
    const void* code = nullptr;          ///< an address in it
    std::vector<AddressRange> writable;  ///< its variables, for as long as it is loaded
};

/// None where the simulation is part of the program, or on a system other than Linux.
[[nodiscard]] std::optional<OwnLibrary> library_of(const isotick_simulation_table& table);

}  // namespace isotick::harness
