#pragma once
// What may stand at one place of an input's description: found out by asking the simulation.

#include "input_words.hpp"

#include <isotick/core/detail/text/json.hpp>
#include <isotick/core/random.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace isotick::harness {

/// The numbers from `least` to `most`: all of them, or the whole ones.
struct NumberRange {
    std::int64_t least = 0;
    std::int64_t most = 0;
    bool real = false;
};

/// The values of one field, or of all elements of an array.
struct Domain {
    std::optional<NumberRange> numbers;
    std::vector<std::string> literals;  ///< others, as JSON; numbers beyond 63 bits too

    /// Adds a literal, unless there are many or it is there.
    void add(std::string_view literal);
    /// Whether a value that stands there is one of the type: no number among names, which is an
    /// enumerator that has none.
    [[nodiscard]] bool takes(const core::JsonValue& value, std::string_view literal) const;
};

/// `text`'s input with `literal` at the spot of that index, if the simulation takes it. What does
/// not fit the object's members behind it takes their defaults instead.
[[nodiscard]] std::optional<TypedInput> with_literal(const InputWords& words,
                                                     const std::string& text, std::size_t index,
                                                     std::string_view literal);

/// Tries what may stand at that spot: both truths; for numbers and strings the names of small
/// numbers (an enumeration), else the smallest and the greatest whole number, found by bisection,
/// whether others than whole ones are taken, and texts. Of other kinds what stands there alone.
[[nodiscard]] Domain learn_domain(const InputWords& words, const std::string& text,
                                  std::size_t index);

/// A value of the domain, mostly one of its edges or a neighbor of `held`, which stands there now;
/// empty where the domain is. Real numbers stay within ±1000, mostly ±1.
[[nodiscard]] std::string draw_literal(const Domain& domain, std::string_view held,
                                       core::Pcg32& random);

}  // namespace isotick::harness
