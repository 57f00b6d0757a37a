#pragma once
// What holding two ways to build a simulation against each other came to.

#include "../judge/judgement.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace isotick::harness::bisect {

/// A simulation of which some units, or some functions of a unit, are built the other way.
struct Mixed {
    std::string what{};        ///< in words: `3 of 20 units`
    std::string failure{};     ///< why it could not be linked; empty: it was
    std::string log{};         ///< of the link: a file
    std::string simulation{};  ///< as --sim takes it
    Judgement judgement{};     ///< where it was linked
};

/// Functions of a unit that make the difference: one, or several that only do so together.
struct FunctionCulprit {
    std::vector<std::string> functions;
    std::vector<std::string> reached;  ///< static functions that go with them, called or pointed to
    Judgement judgement;               ///< with those alone built the other way
};

/// Units that make the difference: one, or several that only do so together.
struct UnitCulprit {
    std::vector<std::string> files;
    Judgement judgement;  ///< with those alone built the other way
    std::vector<FunctionCulprit> functions{};
    std::string functions_unknown{};  ///< why there are none, in words
};

/// A unit that stays as usual, since the other way does not compile it.
struct LeftOut {
    std::string file;
    std::string reason;
    std::string log;
};

struct BuildReport {
    std::size_t units = 0;        ///< that are linked
    std::size_t differing = 0;    ///< those whose object files differ
    bool recorded_again = false;  ///< the recorded hashes are of another build, so not compared
    std::vector<LeftOut> left_out{};
    Mixed other{};  ///< all the other way
    std::vector<UnitCulprit> culprits{};
    std::optional<Mixed> together{};  ///< all culprits, where they are several
    bool rest_unknown = false;        ///< what is left without the culprits could not be judged
    std::uint64_t compiled = 0;
    std::uint64_t from_cache = 0;
    std::uint64_t unit_links = 0;  ///< the two ends included
    std::uint64_t function_links = 0;
};

/// Whether all culprits together do what everything the other way does.
[[nodiscard]] inline bool explains_all(const BuildReport& report) {
    const Judgement& found = report.together           ? report.together->judgement
                             : report.culprits.empty() ? report.other.judgement
                                                       : report.culprits.front().judgement;
    return found.finding == report.other.judgement.finding &&
           found.signature == report.other.judgement.signature;
}

}  // namespace isotick::harness::bisect
