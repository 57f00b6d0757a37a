#pragma once
// How a trial calls its simulation, where that is not as usual.

#include "../platform/float_control.hpp"

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

namespace isotick::harness {

struct CallSetup {
    // For each call.
    std::optional<std::uint8_t> stack_fill;  ///< the bytes that lie below the caller's on the stack
    std::optional<std::uint64_t> inputs_seed;  ///< inputs are moved, to places drawn from this
    std::optional<FloatChange> float_change;
    std::chrono::milliseconds hitch{0};  ///< a delay in some frames
    std::string working_directory;       ///< empty: as it is

    // From before the simulation is created until it is gone.
    std::string locale;             ///< empty: as it is
    std::uint32_t descriptors = 0;  ///< that are open besides

    [[nodiscard]] bool is_usual() const { return *this == CallSetup(); }
    friend bool operator==(const CallSetup&, const CallSetup&) = default;
};

}  // namespace isotick::harness
