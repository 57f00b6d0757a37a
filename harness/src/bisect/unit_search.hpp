#pragma once
// Which units of a build changed the bits: mixtures of two builds.

#include "compiler.hpp"
#include "culprits.hpp"
#include "expectation.hpp"
#include "judge.hpp"
#include "linker.hpp"

#include <isotick/core/result.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace isotick::harness::bisect {

// What holding two ways to build a simulation against each other came to.

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

// Links mixtures of object files and holds them against the reference.

/// The object files of a unit, or of what was made of them.
using UnitObjects = std::vector<std::string>;

/// Whether a mixture makes a difference.
[[nodiscard]] Effect effect_of(const Mixed& mixed);

class Mixtures {
  public:
    /// Mixtures are linked below `folder`. `on_mixture` is called with each.
    Mixtures(const Linker& linker, ToolLimits limits, std::string folder,
             std::function<void(const Mixed&)> on_mixture)
        : linker_(linker),
          limits_(std::move(limits)),
          folder_(std::move(folder)),
          on_mixture_(std::move(on_mixture)) {}

    /// Links the object files for each of the linker's units.
    [[nodiscard]] core::Result<Mixed> link(const std::vector<UnitObjects>& objects,
                                           std::string what);

    /// Links them and holds the simulation against `judge`.
    [[nodiscard]] core::Result<Mixed> judge(const std::vector<UnitObjects>& objects,
                                            std::string what, const Judge& judge);

    /// A folder for the next mixture, which does not exist yet.
    [[nodiscard]] std::string next_folder() const {
        return folder_ + "/" + std::to_string(links_ + 1);
    }
    [[nodiscard]] std::uint64_t links() const { return links_; }
    [[nodiscard]] const ToolLimits& limits() const { return limits_; }

  private:
    const Linker& linker_;
    ToolLimits limits_;
    std::string folder_;
    std::function<void(const Mixed&)> on_mixture_;
    std::uint64_t links_ = 0;
};

// Finds the translation units, and the functions in them, that come to other bits when they are
// built another way.

struct BuildPlan {
    std::string compile_commands;       ///< a JSON compilation database: the usual way
    std::vector<std::string> patterns;  ///< of the units; empty: all
    Way other{};                        ///< the other way
    std::string link;                   ///< a command; empty: a plug-in of all units
    std::string simulation;             ///< with `{out}`, which is what is linked
    std::string work;                   ///< a folder that exists, for this build alone
    std::size_t jobs = 0;               ///< compilers at a time; 0: as many as processors
    bool functions = true;              ///< look for functions, too
    ToolLimits limits{};
    JudgeOptions judge{};
    std::function<void(const Mixed&)> on_mixture{};  ///< called with each that was tried
};

/// Builds both ways. Both ends are checked first: the usual way must come to the recorded hashes,
/// or becomes the reference; where all the other way comes to the same, there is nothing to find.
/// Fails with `usage` where the usual way does not build, or the other way cannot be judged.
[[nodiscard]] core::Result<BuildReport> bisect_build(const BuildPlan& plan);

}  // namespace isotick::harness::bisect
