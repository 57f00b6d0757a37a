#pragma once
// What a C++ type must offer to be a simulation; adapter.hpp makes its C table.

#include <isotick/core/detail/simulation_table.hpp>
#include <isotick/core/detail/step.hpp>
#include <isotick/core/hash.hpp>
#include <isotick/core/plugin.h>
#include <isotick/core/result.hpp>

#include <concepts>
#include <cstdint>
#include <stdexcept>
#include <type_traits>
#include <utility>

namespace isotick::core {

/// Facts about a C++ simulation type; the strings must live as long as the program.
struct SimulationInfo {
    const char* name = nullptr;
    const char* summary = nullptr;
    const char* config_help = nullptr;
    const char* build_id = nullptr;
    std::uint32_t rate_numerator = 60;
    std::uint32_t rate_denominator = 1;
    std::uint32_t least_players = 0;
    std::uint32_t most_players = 0;
    std::uint32_t usual_players = 0;
    std::uint64_t capabilities = ISOTICK_MANY_INSTANCES;
    NanPolicy nan_policy = NanPolicy::bits;  ///< `one` where processors make different NaNs
};

/// Thrown by a simulation's constructor for settings it cannot work with; the text reaches the
/// user. Any other exception counts as a crash.
class BadSettings : public std::runtime_error {
  public:
    using std::runtime_error::runtime_error;
};

/// The value of a Result, for constructors: throws BadSettings where there is none.
template <class T>
T take_setting(Result<T> result) {
    if (!result) {
        throw BadSettings(result.error().message);
    }
    if constexpr (!std::is_void_v<T>) {
        return *std::move(result);
    }
}

/// What a type needs: a static kInfo, a constructor from the setup (or none), step, and cereal
/// serialization. Detected where they exist: `void begin_frame(FrameTime)`, `void render(double)`,
/// `bool propose_input(const Proposal&, std::vector<std::uint8_t>& bytes) const` (true: present). A
/// member of such a name that cannot be called like this does not compile (detail/adapter.hpp).
/// A type that can be serialized both ways can be saved and loaded, one that can be written has
/// fields and shows its memory; `static constexpr bool kCanSave = false;`, `kHasFields = false` and
/// `kHasMemory = false` say otherwise.
///
/// Inputs are shown to people, and written by them, as JSON where the type names what they are made
/// of, `using Input = Pad;` and for the world's `using WorldInput = Weather;` (input_text.hpp), or
/// has `static std::string describe_input(std::uint32_t player, std::span<const std::uint8_t>
/// bytes)` and `static std::vector<std::uint8_t> compose_input(std::uint32_t player,
/// std::string_view json)`. All of these may throw a std::exception for what makes no sense.
template <class T>
concept SimulationType = requires(T simulation, const Step& step) {
    { T::kInfo } -> std::convertible_to<SimulationInfo>;
    simulation.step(step);
}
&&(std::constructible_from<T, const SimulationSetup&> || std::default_initializable<T>);

}  // namespace isotick::core
