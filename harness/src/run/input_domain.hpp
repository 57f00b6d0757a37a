#pragma once
// What inputs a simulation understands, learned from those that it describes.

#include <isotick/core/detail/json.hpp>
#include <isotick/core/random.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace isotick::harness {

// What a simulation says about one player's inputs, and the inputs it takes at their word.

/// The two directions of a simulation's description for one player (or the world). Both give none
/// for what it refuses, and depend on nothing but their arguments.
struct InputWords {
    std::function<std::optional<std::string>(std::span<const std::uint8_t>)> describe;
    std::function<std::optional<std::vector<std::uint8_t>>(std::string_view)> compose;
};

/// An input and its description, each of which leads to the other.
struct TypedInput {
    std::string text;  ///< well-formed JSON without whitespace between its parts
    std::vector<std::uint8_t> bytes;
    friend bool operator==(const TypedInput&, const TypedInput&) = default;
};

/// The input that `json`, written by anyone, describes; none where it is refused, or where the
/// simulation describes the input it made in words that do not lead back to it.
[[nodiscard]] std::optional<TypedInput> typed_input(const InputWords& words, std::string_view json);

// The values within a JSON text, each with its place, so that one can be exchanged for another.

/// One value of a document.
struct Spot {
    std::string path;              ///< `orders[].x`: the same for all elements of an array
    const core::JsonValue* value;  ///< within the document, which must outlive the spot
    std::size_t members_end;       ///< of the object whose member it is: where its last one ends;
                                   ///< of any other value: where it ends itself
};

/// All values of the document, its own first and each before those within it; at most the first
/// 1,024. A leaf that is exchanged for another leaves the spots before it and its own where they
/// were.
[[nodiscard]] std::vector<Spot> spots_of(const core::JsonValue& document);

/// The text of `value` within its document's.
[[nodiscard]] std::string_view literal_of(const core::JsonValue& value, std::string_view text);

/// `text` with `literal` in place of what is from offset `begin` to `end`.
[[nodiscard]] std::string spliced(std::string_view text, std::size_t begin, std::size_t end,
                                  std::string_view literal);

// What may stand at one place of an input's description: found out by asking the simulation.

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
