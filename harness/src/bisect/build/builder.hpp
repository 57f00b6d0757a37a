#pragma once
// Builds of revisions, made once each and kept.

#include "../git/history.hpp"

#include <isotick/core/result.hpp>
#include <isotick/harness/detail/simulations/simulation_name.hpp>

#include <cstdint>
#include <functional>
#include <set>
#include <string>
#include <vector>

namespace isotick::harness::bisect {

/// How a revision becomes a simulation. `{src}` and `{out}` stand for its folders.
struct Recipe {
    std::string command;               ///< for sh, which runs it in {src}
    std::string simulation;            ///< the path of a plug-in, or `exec:` and a command
    std::vector<std::string> paths{};  ///< what it depends on; empty: the whole tree
    std::string overlay{};             ///< a folder laid over each checkout; empty: none
    std::string glue_from{};           ///< a commit …
    std::vector<std::string> glue{};   ///< … from which these paths are taken
    std::uint64_t timeout_ms = 0;
    std::uint64_t memory_limit = 0;  ///< bytes
    std::uint64_t most_output = std::uint64_t{64} << 20;
};

enum class BuildEnd { built, not_fitting, not_building };

struct Build {
    BuildEnd end = BuildEnd::built;
    std::string reason{};     ///< unless built
    std::string folder{};     ///< with `log`, `out` and, where the simulation needs it, `src`
    bool from_cache = false;  ///< it was there already
    std::string simulation{};
};

class Builder {
  public:
    /// Keeps builds in `work`, a folder that exists. Fails with `usage` where the recipe would give
    /// all revisions the same simulation.
    [[nodiscard]] static core::Result<Builder> make(const History& history, Recipe recipe,
                                                    std::string work, std::function<bool()> stop);

    /// Builds that differ in nothing they depend on are one. Fails where the disk is full.
    [[nodiscard]] core::Result<Build> build(const std::string& commit);

    /// Makes the builds of several commits at the same time. What keeps one from being made shows
    /// when that one is asked for.
    [[nodiscard]] core::Result<void> build_ahead(const std::vector<std::string>& commits);

    /// How many were made, and how many were there.
    [[nodiscard]] std::uint64_t made() const { return made_; }
    [[nodiscard]] std::uint64_t reused() const { return reused_; }

  private:
    Builder(const History& history, Recipe recipe, std::string work, std::function<bool()> stop)
        : history_(history),
          recipe_(std::move(recipe)),
          work_(std::move(work)),
          stop_(std::move(stop)) {}

    [[nodiscard]] core::Result<Build> begun(const std::string& commit) const;
    [[nodiscard]] core::Result<std::string> key_of(const std::string& commit) const;
    [[nodiscard]] core::Result<Build> make_in(const std::string& commit, Build build) const;
    [[nodiscard]] core::Result<Build> run_in(Build build) const;

    const History& history_;
    Recipe recipe_;
    std::string work_;
    std::function<bool()> stop_;
    std::string overlay_digest_;
    std::set<std::string> made_ahead_;  // folders
    std::uint64_t made_ = 0;
    std::uint64_t reused_ = 0;
};

}  // namespace isotick::harness::bisect
