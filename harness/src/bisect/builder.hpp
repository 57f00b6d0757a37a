#pragma once
// Builds a revision with a command, or units of two builds mixed.

#include "history.hpp"
#include "tool.hpp"

#include <isotick/core/result.hpp>
#include <isotick/harness/detail/simulation_catalog.hpp>

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace isotick::harness::bisect {

// `{src}` and `{out}` in what the user wrote: the folders of one revision. And what else it names.

/// As one word of sh, in quotes where it needs them.
[[nodiscard]] std::string word_for_shell(const std::string& path);

/// For sh: where the folder's path needs quotes it gets them.
[[nodiscard]] std::string expanded_command(const std::string& text, const std::string& folder);

/// The path of a plug-in as it is; `exec:` and a command for sh.
[[nodiscard]] std::string expanded_simulation(const std::string& text, const std::string& folder);

/// `text` with the placeholders for the paths of the folders again.
[[nodiscard]] std::string with_placeholders(std::string text, const std::string& folder);

/// Whether it runs out of the checkout.
[[nodiscard]] bool needs_sources(const std::string& simulation);

/// The files outside of checkouts that a command for sh names: by their full path, below `~` or
/// `$HOME`, or programs in PATH. Not those that these files name in turn, and no folders. Sorted.
[[nodiscard]] std::vector<std::string> files_named_in(const std::string& command);

// Files that are not in a revision's tree and go over each checkout.

/// What the folder holds, as 32 digits: paths, contents, and which files can be executed.
[[nodiscard]] core::Result<std::string> digest_of_folder(const std::string& folder);

/// Copies what `overlay` holds over `folder`, and replaces files there. Returns why it does not
/// fit, empty where it does: a file where a folder must be, or the other way about. Follows no
/// link that `folder` holds.
[[nodiscard]] core::Result<std::string> lay_over(const std::string& overlay,
                                                 const std::string& folder);

// Builds of revisions, made once each; those that could be made are kept.

/// How a revision becomes a simulation. `{src}` and `{out}` stand for its folders.
struct Recipe {
    std::string command;               ///< for sh, which runs it in {src}
    std::string simulation;            ///< the path of a plug-in, or `exec:` and a command
    std::vector<std::string> paths{};  ///< what it depends on; empty: the whole tree
    std::string overlay{};             ///< a folder laid over each checkout; empty: none
    std::string glue_from{};           ///< a commit …
    std::vector<std::string> glue{};   ///< … from which these paths are taken
    bool rebuild = false;              ///< builds that another run kept do not count
    ToolLimits limits{};
};

enum class BuildEnd { built, not_fitting, not_building };

struct Build {
    BuildEnd end = BuildEnd::built;
    std::string reason{};     ///< unless built
    std::string folder{};     ///< with `log`, `out` and, where the simulation needs it, `src`
    bool from_cache = false;  ///< another run made it
    std::string simulation{};
};

class Builder {
  public:
    /// Keeps builds in `work`, a folder that exists. Fails with `usage` where the recipe would give
    /// all revisions the same simulation.
    [[nodiscard]] static core::Result<Builder> make(const History& history, Recipe recipe,
                                                    std::string work);

    /// Builds that differ in nothing they depend on are one: the content of the revision, the
    /// overlay, the glue, the command and the files that it names. A failure counts for this
    /// builder alone. Fails where the disk is full.
    [[nodiscard]] core::Result<Build> build(const std::string& commit);

    /// Makes the builds of several commits at the same time. What keeps one from being made shows
    /// when that one is asked for.
    [[nodiscard]] core::Result<void> build_ahead(const std::vector<std::string>& commits);

    /// How many were made, and how many were there.
    [[nodiscard]] std::uint64_t made() const { return made_; }
    [[nodiscard]] std::uint64_t reused() const { return reused_; }

  private:
    Builder(const History& history, Recipe recipe, std::string work)
        : history_(history), recipe_(std::move(recipe)), work_(std::move(work)) {}

    [[nodiscard]] core::Result<Build> begun(const std::string& commit);
    [[nodiscard]] core::Result<std::string> key_of(const std::string& commit) const;
    [[nodiscard]] core::Result<Build> make_in(const std::string& commit, Build build) const;
    [[nodiscard]] core::Result<Build> run_in(Build build) const;

    const History& history_;
    Recipe recipe_;
    std::string work_;
    std::string overlay_digest_;
    std::vector<std::string> command_files_;  // that the command names
    std::map<std::string, Build> known_;      // by folder
    std::uint64_t made_ = 0;
    std::uint64_t reused_ = 0;
};

}  // namespace isotick::harness::bisect
