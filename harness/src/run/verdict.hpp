#pragma once
// A trial's verdict as a word and an exit code, and the parts in which two states differ.

#include <isotick/core/hash.hpp>

#include <span>
#include <string>
#include <vector>

namespace isotick::harness {

// Which parts of two states differ. Parts are known by their names, wherever they stand.

/// The part hashes of a state, by their names in order. Empty hashes: they are not known.
struct NamedParts {
    std::span<const std::string> names;
    std::span<const core::PartHash> hashes;
};

/// The parts that are not the same, in words: the names of those whose hashes differ, then the
/// names of those that only `a` or only `b` has, said to be so, and the order of the parts where
/// that is all. Empty where a side's parts are not known.
[[nodiscard]] std::vector<std::string> differing_parts(const NamedParts& a, const NamedParts& b);

/// How a simulation's parts differ from a recording's: `the simulation's state has a part that the
/// recording has not: spin`. The two must not be equal.
[[nodiscard]] std::string changed_parts_text(std::span<const std::string> recorded,
                                             std::span<const std::string> simulated);

}  // namespace isotick::harness
