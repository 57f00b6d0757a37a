#include "builder.hpp"

#include "../system/files.hpp"
#include "../system/shell_words.hpp"
#include "compile_commands.hpp"
#include "compiler.hpp"

#include <isotick/core/detail/try.hpp>
#include <isotick/core/hash.hpp>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <set>
#include <string_view>
#include <system_error>
#include <thread>
#include <vector>

namespace isotick::harness::bisect {
namespace {

void replace_all(std::string& text, std::string_view what, const std::string& by) {
    for (std::size_t at = text.find(what); at != std::string::npos;
         at = text.find(what, at + by.size())) {
        text.replace(at, what.size(), by);
    }
}

constexpr std::string_view kOperators = ";&|<>()";
constexpr std::string_view kBetweenWords = " \t\n;&|<>()=:,\"'`";

// The path that a word of a command names; empty where it names nothing outside of the checkout.
std::string path_named_by(const std::string& word) {
    if (word.find('/') == std::string::npos) {
        return program_path(word, "/");
    }
    for (const std::string_view home : {"~/", "$HOME/", "${HOME}/"}) {
        const char* folder = std::getenv("HOME");
        if (word.starts_with(home) && folder != nullptr) {
            return std::string(folder) + "/" + word.substr(home.size());
        }
    }
    return word.starts_with('/') ? word : "";
}

std::string expanded(std::string text, const std::string& src, const std::string& out) {
    replace_all(text, "{src}", src);
    replace_all(text, "{out}", out);
    return text;
}

}  // namespace

std::string word_for_shell(const std::string& path) {
    constexpr std::string_view kPlain =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./:=,+@%";
    if (path.find_first_not_of(kPlain) == std::string::npos) {
        return path;
    }
    std::string quoted = "'";
    for (const char letter : path) {
        quoted += letter == '\'' ? "'\\''" : std::string(1, letter);
    }
    return quoted + "'";
}

std::string expanded_command(const std::string& text, const std::string& folder) {
    return expanded(text, word_for_shell(folder + "/src"), word_for_shell(folder + "/out"));
}

std::string expanded_simulation(const std::string& text, const std::string& folder) {
    return text.starts_with("exec:") ? expanded_command(text, folder)
                                     : expanded(text, folder + "/src", folder + "/out");
}

std::string with_placeholders(std::string text, const std::string& folder) {
    replace_all(text, folder + "/src", "{src}");
    replace_all(text, folder + "/out", "{out}");
    return text;
}

bool needs_sources(const std::string& simulation) {
    return simulation.find("{src}") != std::string::npos;
}

std::vector<std::string> files_named_in(const std::string& command) {
    std::set<std::string> files;
    const auto add = [&files](const std::string& word) {
        const std::string path = path_named_by(word);
        std::error_code ignored;
        if (!path.empty() && std::filesystem::is_regular_file(path, ignored)) {
            files.insert(path);
        }
    };
    // Quotes keep a path with blanks together; inside of them a whole command may stand.
    for (const std::string& word : shell_words(command).value_or(std::vector{command})) {
        for (const std::string_view between : {kOperators, kBetweenWords}) {
            for (std::size_t at = 0; at < word.size();) {
                const std::size_t end = std::min(word.find_first_of(between, at), word.size());
                add(word.substr(at, end - at));
                at = end + 1;
            }
        }
    }
    return {files.begin(), files.end()};
}

namespace {

namespace fs = std::filesystem;
using core::Result;

core::Error failed_overlay(const fs::path& path, const std::error_code& why) {
    return {core::ErrorCode::io, why.message(), path.string(), {}, {}};
}

// All below `folder`, in an order that no file system decides.
Result<std::vector<fs::path>> entries_of(const std::string& folder) {
    std::error_code error;
    std::vector<fs::path> found;
    auto entry = fs::recursive_directory_iterator(folder, error);
    for (; !error && entry != fs::recursive_directory_iterator(); entry.increment(error)) {
        found.push_back(entry->path());
    }
    if (error) {
        return tl::unexpected(failed_overlay(folder, error));
    }
    std::ranges::sort(found);
    return found;
}

Result<void> add_content(const fs::path& path, core::StreamDigester& digester) {
    std::error_code error;
    const fs::file_status status = fs::symlink_status(path, error);
    if (fs::is_symlink(status)) {
        const std::string target = fs::read_symlink(path, error).string();
        digester.update(std::as_bytes(std::span(target)));
        return {};
    }
    if (!fs::is_regular_file(status) || fs::file_size(path, error) == 0) {
        return {};
    }
    ISOTICK_TRY_ASSIGN(const auto file, MappedFile::open(path.string()));
    digester.update(file.bytes());
    const bool executable = (status.permissions() & fs::perms::owner_exec) != fs::perms::none;
    digester.update(executable ? 1 : 0);
    return {};
}

// Why `target` cannot become what `source` is; empty where it can.
Result<std::string> put(const fs::path& source, const fs::path& target) {
    std::error_code error;
    const bool is_folder = fs::is_directory(fs::symlink_status(source, error));
    const fs::file_status there = fs::symlink_status(target, error);
    if (fs::exists(there) && fs::is_directory(there) != is_folder) {
        return (is_folder ? "it has a folder where the revision has a file: "
                          : "it has a file where the revision has a folder: ") +
               target.filename().string();
    }
    error.clear();
    if (is_folder) {
        fs::create_directory(target, error);
    } else {
        fs::remove(target, error);
        fs::copy(source, target, fs::copy_options::copy_symlinks, error);
    }
    return error ? Result<std::string>(tl::unexpected(failed_overlay(target, error)))
                 : std::string();
}

}  // namespace

Result<std::string> digest_of_folder(const std::string& folder) {
    ISOTICK_TRY_ASSIGN(const auto entries, entries_of(folder));
    core::StreamDigester digester;
    for (const fs::path& entry : entries) {
        const std::string name = entry.lexically_relative(folder).string();
        digester.update(name.size());
        digester.update(std::as_bytes(std::span(name)));
        ISOTICK_TRY(add_content(entry, digester));
    }
    return to_string(digester.value());
}

Result<std::string> lay_over(const std::string& overlay, const std::string& folder) {
    ISOTICK_TRY_ASSIGN(const auto entries, entries_of(overlay));
    for (const fs::path& entry : entries) {
        ISOTICK_TRY_ASSIGN(auto why, put(entry, folder / entry.lexically_relative(overlay)));
        if (!why.empty()) {
            return why;
        }
    }
    return std::string();
}

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
