#pragma once
// Random inputs: of described values where a simulation has them, else bytes.

#include "input_domain.hpp"

#include <isotick/core/plugin.h>
#include <isotick/core/random.hpp>

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace isotick::harness {

// Random inputs of the type that a simulation describes.

/// What one player's inputs look like, as far as examples show it. Everything that is drawn is an
/// input which the simulation composes and describes again in the same words, and depends on the
/// simulation's descriptions and on `random` alone. Not thread-safe; `words` are asked at each
/// call.
class TypedInputs {
  public:
    /// Looks for examples: what plain JSON (`{}`, `[]`, `0`, …) composes, and short byte strings
    /// that are described. None where there is none.
    [[nodiscard]] static std::optional<TypedInputs> learn(InputWords words, core::Pcg32& random);

    /// The first example: all bytes zero, or what `{}` composes.
    [[nodiscard]] const TypedInput& plain() const { return examples_.front(); }

    /// Any example, with several values changed.
    [[nodiscard]] TypedInput any(core::Pcg32& random);

    /// `from` with another value in one place; `from` itself where no other was taken.
    [[nodiscard]] TypedInput changed(const TypedInput& from, core::Pcg32& random);

  private:
    explicit TypedInputs(InputWords words) : words_(std::move(words)) {}

    void find_examples(core::Pcg32& random);
    void add_example(std::optional<TypedInput> typed);
    void grow_arrays(const TypedInput& example);
    // The first spot whose value is none of its type; takes note of types not seen before.
    [[nodiscard]] std::optional<std::size_t> misfit(const std::string& text);
    // With another value at each of these spots; none where that does not help.
    [[nodiscard]] std::optional<TypedInput> mended(std::optional<TypedInput> input);
    [[nodiscard]] std::string other_elements(const core::JsonValue& array, const std::string& path,
                                             const std::string& text, core::Pcg32& random) const;

    InputWords words_;
    std::vector<TypedInput> examples_;
    std::map<std::string, Domain> domains_;  // by path
};

// One player's random input, from sample to sample.

/// Draws inputs like those of somebody who plays: the same one for a while (four samples on
/// average), then one with a single value changed, now and then another altogether or the plain
/// one; sometimes none. Depends on seed, player and the simulation's descriptions alone.
class RandomInput {
  public:
    /// Learns what the player's inputs look like, asking `words`: where there are none, inputs are
    /// any bytes.
    RandomInput(std::uint64_t seed, std::uint32_t player, std::optional<InputWords> words);

    /// Whether there is anything to draw: false where inputs are described, but no example of one
    /// was found. Only absent ones are drawn then.
    [[nodiscard]] bool has_examples() const { return !described_ || typed_.has_value(); }

    /// Goes on to the next sample, and gives it; it is valid until the next call.
    [[nodiscard]] isotick_input sample();

  private:
    void change();

    core::Pcg32 random_;
    std::uint32_t player_;
    bool described_;
    std::optional<TypedInputs> typed_;
    TypedInput now_;  // goes on where an input is absent for a while; without text if not typed
    bool begun_ = false;
    bool present_ = false;
};

}  // namespace isotick::harness
