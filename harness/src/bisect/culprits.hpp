#pragma once
// Which members of a set make a difference: translation units of a build, functions of a unit.

#include <isotick/core/result.hpp>

#include <cstddef>
#include <functional>
#include <vector>

namespace isotick::harness::bisect {

/// Members, by number, in ascending order.
using Members = std::vector<std::size_t>;

/// What a mixture does in which only some members are the other way.
enum class Effect {
    none,
    differs,
    unknown,  ///< it cannot be judged: it crashes, or does not link
};

/// Asks what the mixture does in which exactly these are the other way.
using Mixture = std::function<core::Result<Effect>(const Members&)>;

struct Culprits {
    /// Each makes a difference by itself, and no part of it does. More than one member: they only
    /// do so together. In the order of their first members.
    std::vector<Members> found{};
    bool rest_unknown = false;  ///< what is left without them could not be judged
};

/// Finds them among `count` members, all of which together make a difference. Takes about
/// log2(count) + 2 mixtures for each of a few, not many more than `count` for any number of them,
/// and asks for none twice. Members that need each other are found too, with more mixtures; what
/// they do with members of other culprits is not.
/// Source: Bentley et al., "Multi-Level Analysis of Compiler-Induced Variability and Performance
/// Tradeoffs", BisectAll; for groups whose size follows what was found: Du and Hwang, "Competitive
/// Group Testing"; for members that need each other: Junker, "QuickXplain".
[[nodiscard]] core::Result<Culprits> find_culprits(std::size_t count, const Mixture& mixture);

}  // namespace isotick::harness::bisect
