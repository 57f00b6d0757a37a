#include "builder.hpp"

#include "overlay.hpp"
#include "placeholders.hpp"

#include <isotick/core/detail/try.hpp>

#include <filesystem>
#include <system_error>
#include <thread>

namespace isotick::harness::bisect {
namespace {

namespace fs = std::filesystem;
using core::ErrorCode;
using core::Result;

constexpr int kDoesNotFit = 125;  // as git's own commands say that a commit cannot be tested
constexpr const char* kDone = "/done";

// A build that fails because there is no room says nothing of its revision.
Result<void> check_room(const std::string& folder) {
    constexpr std::uintmax_t kLeast = std::uintmax_t{1} << 20;
    std::error_code error;
    const auto space = fs::space(folder, error);
    return error || space.available >= kLeast
               ? Result<void>()
               : core::fail(ErrorCode::io, folder + ": there is no space left on the disk");
}

Result<void> make_empty(const std::string& folder) {
    std::error_code error;
    fs::remove_all(folder, error);
    for (const char* part : {"/src", "/out"}) {
        fs::create_directories(folder + part, error);
        if (error) {
            return core::fail(ErrorCode::io, folder + part + ": " + error.message());
        }
    }
    return {};
}

}  // namespace

Result<Builder> Builder::make(const History& history, Recipe recipe, std::string work) {
    if (recipe.simulation.find("{out}") == std::string::npos &&
        recipe.simulation.find("{src}") == std::string::npos) {
        return core::fail(ErrorCode::usage,
                          "--sim " + recipe.simulation +
                              ": has neither {out} nor {src}, so all revisions would be the same");
    }
    Builder builder(history, std::move(recipe), std::move(work));
    builder.command_files_ = files_named_in(builder.recipe_.command);
    if (!builder.recipe_.overlay.empty()) {
        ISOTICK_TRY_ASSIGN(builder.overlay_digest_, digest_of_folder(builder.recipe_.overlay));
    }
    return builder;
}

Result<std::string> Builder::key_of(const std::string& commit) const {
    ISOTICK_TRY_ASSIGN(const auto content, history_.content_of(commit, recipe_.paths));
    std::string glue;
    if (!recipe_.glue.empty()) {
        ISOTICK_TRY_ASSIGN(glue, history_.content_of(recipe_.glue_from, recipe_.glue));
    }
    const std::string keeps_sources = needs_sources(recipe_.simulation) ? "sources" : "";
    std::vector<std::string> parts{content, glue, recipe_.command, overlay_digest_, keeps_sources};
    for (const std::string& file : command_files_) {
        parts.push_back(file);
        parts.push_back(content_of_file(file).value_or(""));
    }
    return digest_of(parts);
}

// As it is known or kept, or as it has to be made.
Result<Build> Builder::begun(const std::string& commit) {
    ISOTICK_TRY_ASSIGN(const auto key, key_of(commit));
    const std::string folder = work_ + "/builds/" + key;
    if (const auto known = known_.find(folder); known != known_.end()) {
        return known->second;
    }
    Build build;
    build.folder = folder;
    build.simulation = expanded_simulation(recipe_.simulation, folder);
    std::error_code ignored;
    build.from_cache = !recipe_.rebuild && fs::exists(folder + kDone, ignored);
    return build;
}

Result<Build> Builder::build(const std::string& commit) {
    ISOTICK_TRY_ASSIGN(auto build, begun(commit));
    if (known_.contains(build.folder)) {
        return build;
    }
    ++(build.from_cache ? reused_ : made_);
    if (!build.from_cache) {
        ISOTICK_TRY_ASSIGN(build, make_in(commit, std::move(build)));
    }
    known_[build.folder] = build;
    return build;
}

Result<void> Builder::build_ahead(const std::vector<std::string>& commits) {
    std::map<std::string, Result<Build>> ahead;  // by folder
    std::vector<std::thread> threads;
    for (const std::string& commit : commits) {
        auto build = begun(commit);
        if (!build || build->from_cache || known_.contains(build->folder)) {
            continue;
        }
        const auto [place, is_new] = ahead.emplace(build->folder, *build);
        if (is_new) {
            ++made_;
            threads.emplace_back([this, commit, &made = place->second] {
                made = make_in(commit, *std::move(made));
            });
        }
    }
    for (std::thread& thread : threads) {
        thread.join();
    }
    for (auto& [folder, made] : ahead) {
        if (made) {
            known_[folder] = *std::move(made);
        }
    }
    return {};
}

Result<Build> Builder::make_in(const std::string& commit, Build build) const {
    ISOTICK_TRY(make_empty(build.folder));
    const std::string sources = build.folder + "/src";
    ISOTICK_TRY_ASSIGN(const bool fits,
                       history_.check_out({commit, sources, recipe_.glue_from, recipe_.glue}));
    if (!fits) {
        build.reason = "the revision of the glue has no such paths";
    } else if (!recipe_.overlay.empty()) {
        ISOTICK_TRY_ASSIGN(build.reason, lay_over(recipe_.overlay, sources));
    }
    if (!build.reason.empty()) {
        build.end = BuildEnd::not_fitting;
        return build;
    }
    ISOTICK_TRY_ASSIGN(build, run_in(std::move(build)));
    // Not kept if a file that the command names was edited meanwhile: either text may have built
    // it.
    ISOTICK_TRY_ASSIGN(const auto key, key_of(commit));
    if (build.end == BuildEnd::built && build.folder.ends_with(key)) {
        ISOTICK_TRY(write_file(build.folder + kDone, ""));
    }
    return build;
}

Result<Build> Builder::run_in(Build build) const {
    ISOTICK_TRY_ASSIGN(const auto end,
                       run_tool({"sh", "-c", expanded_command(recipe_.command, build.folder)},
                                build.folder + "/src", build.folder + "/log", recipe_.limits));
    if (!end.failure.empty()) {
        ISOTICK_TRY(check_room(build.folder));
        build.end = end.exit_code == kDoesNotFit ? BuildEnd::not_fitting : BuildEnd::not_building;
        build.reason = "the build " + with_placeholders(end.failure, build.folder);
    }
    std::error_code ignored;
    if (build.end != BuildEnd::built || !needs_sources(recipe_.simulation)) {
        fs::remove_all(build.folder + "/src", ignored);
    }
    return build;
}

}  // namespace isotick::harness::bisect
