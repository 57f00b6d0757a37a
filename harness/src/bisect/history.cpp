#include "history.hpp"

#include "../system/command.hpp"

#include <isotick/core/detail/try.hpp>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <system_error>
#include <utility>

namespace isotick::harness::bisect {
namespace {

using core::ErrorCode;
using core::Result;

constexpr int kCannotRun = 127;

// Configuration that would have git run something, or do something of its own.
std::vector<std::string> harmless() {
    std::vector<std::string> words{"git"};
    for (const char* setting :
         {"core.hooksPath=/dev/null", "core.attributesFile=/dev/null",
          "core.excludesFile=/dev/null", "core.fsmonitor=false", "core.untrackedCache=false",
          "gc.auto=0", "maintenance.auto=false", "advice.detachedHead=false",
          "submodule.recurse=false", "safe.directory=*", "protocol.allow=never"}) {
        words.emplace_back("-c");
        words.emplace_back(setting);
    }
    return words;
}

std::vector<std::string> surroundings(const std::vector<std::string>& more) {
    std::vector<std::string> variables = environment_without("GIT_");
    for (const char* variable :
         {"GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_NOSYSTEM=1", "GIT_ATTR_NOSYSTEM=1",
          "GIT_TERMINAL_PROMPT=0", "GIT_OPTIONAL_LOCKS=0", "GIT_NO_LAZY_FETCH=1",
          "GIT_ALLOW_PROTOCOL=", "GIT_PAGER=cat", "GIT_EDITOR=false", "GIT_ADVICE=0", "LC_ALL=C",
          "LANGUAGE=C"}) {
        variables.emplace_back(variable);
    }
    variables.insert(variables.end(), more.begin(), more.end());
    return variables;
}

std::string first_line(const std::string& text) {
    const auto lines = lines_of(text);
    return lines.empty() ? "" : lines.front();
}

}  // namespace

Git Git::in_work_tree(std::string folder) {
    return Git({"-C", std::move(folder)});
}

Git Git::of_repository(std::string git_folder) {
    return Git({"--git-dir=" + std::move(git_folder)});
}

Result<GitResult> Git::call(const std::vector<std::string>& words,
                            const std::vector<std::string>& variables) const {
    ISOTICK_TRY_ASSIGN(const auto output, anonymous_file());
    ISOTICK_TRY_ASSIGN(const auto errors, anonymous_file());
    Command command;
    command.words = harmless();
    command.words.insert(command.words.end(), place_.begin(), place_.end());
    command.words.insert(command.words.end(), words.begin(), words.end());
    command.environment = surroundings(variables);
    command.output = output.get();
    command.errors = errors.get();
    command.stop = stop_;
    ISOTICK_TRY_ASSIGN(const auto done, run_command(command));
    if (done.end == CommandEnd::stopped) {
        return interrupted();
    }
    GitResult result;
    ISOTICK_TRY_ASSIGN(result.out, get_content(output.get()));
    ISOTICK_TRY_ASSIGN(result.errors, get_content(errors.get()));
    result.code = done.process.signal == 0 ? done.process.exit_code : kCannotRun;
    if (result.code == kCannotRun) {
        return core::fail(ErrorCode::io, "git cannot be run: is it installed?");
    }
    return result;
}

Result<std::string> Git::ask(const std::vector<std::string>& words,
                             const std::vector<std::string>& variables) const {
    ISOTICK_TRY_ASSIGN(auto result, call(words, variables));
    if (result.code != 0) {
        return core::fail(ErrorCode::io, "git " + words.front() + ": " + first_line(result.errors));
    }
    if (result.out.ends_with('\n')) {
        result.out.pop_back();
    }
    return std::move(result.out);
}

std::vector<std::string> lines_of(const std::string& text) {
    std::vector<std::string> lines;
    std::istringstream stream(text);
    for (std::string line; std::getline(stream, line);) {
        lines.push_back(line);
    }
    return lines;
}

namespace {

using core::ErrorCode;
using core::Result;

// What the private clone needs to know of the user's repository.
struct Source {
    std::string objects;  // the folder
    std::string format;   // of hashes
    std::string index;    // the file
    bool is_partial;
};

Result<Source> look_at(const Git& user, const std::string& repository) {
    ISOTICK_TRY_ASSIGN(
        const auto said,
        user.call({"rev-parse", "--path-format=absolute", "--git-path", "objects", "--git-path",
                   "index", "--is-shallow-repository", "--show-object-format"}));
    const auto lines = lines_of(said.out);
    if (said.code != 0 || lines.size() != 4) {
        return core::fail(ErrorCode::usage, repository + ": is no git repository");
    }
    if (lines[2] == "true") {
        return core::fail(ErrorCode::usage,
                          repository +
                              ": is a shallow clone, whose history ends early; complete it with "
                              "git fetch --unshallow");
    }
    ISOTICK_TRY_ASSIGN(const auto partial,
                       user.call({"config", "--get-regexp",
                                  R"(^(extensions\.partialclone|remote\..*\.promisor)$)"}));
    return Source{lines[0], lines[3], lines[1], partial.code == 0};
}

Result<void> share_objects(const std::string& clone, const Source& source) {
    std::ofstream file(clone + "/objects/info/alternates", std::ios::binary | std::ios::trunc);
    file << source.objects << '\n';
    file.close();
    return file ? Result<void>()
                : core::fail(ErrorCode::io, clone + ": the private clone cannot be written");
}

}  // namespace

std::string short_hash(const std::string& commit) {
    constexpr std::size_t kDigits = 10;
    return commit.substr(0, kDigits);
}

Result<History> History::open(const std::string& repository, const std::string& work,
                              std::function<bool()> stop) {
    Git user = Git::in_work_tree(repository);
    ISOTICK_TRY_ASSIGN(const auto source, look_at(user, repository));
    const std::string folder = work + "/git";
    Git clone = Git::of_repository(folder);
    clone.stop_when(std::move(stop));
    std::error_code error;
    if (!std::filesystem::exists(folder + "/HEAD", error)) {
        ISOTICK_TRY(user.ask({"init", "--quiet", "--bare",
                              "--template=", "--object-format=" + source.format, "--", folder}));
        std::filesystem::create_directories(folder + "/objects/info", error);
    }
    ISOTICK_TRY(share_objects(folder, source));
    return History(std::move(user), std::move(clone),
                   {repository, folder, source.index, source.is_partial});
}

Result<void> History::check_complete(const std::string& good, const std::string& bad) const {
    if (!is_partial_) {
        return {};
    }
    std::vector<std::string> words{"rev-list", "--objects", "--quiet", "--missing=print", bad};
    if (!good.empty()) {
        words.insert(words.end(), {good, "--not", good + "^@"});
    }
    ISOTICK_TRY_ASSIGN(const auto missing, clone_.ask(words).map(lines_of));
    return missing.empty()
               ? Result<void>()
               : core::fail(ErrorCode::usage,
                            repository_ + ": is a partial clone, which lacks " +
                                std::to_string(missing.size()) +
                                " files or folders of the commits in question; complete it with "
                                "git fetch --refetch --no-filter");
}

Result<std::string> History::commit_of(const std::string& revision,
                                       const std::string& option) const {
    ISOTICK_TRY_ASSIGN(const auto said, user_.call({"rev-parse", "--verify", "--quiet",
                                                    "--end-of-options", revision + "^{commit}"}));
    const auto lines = lines_of(said.out);
    if (said.code != 0 || lines.empty()) {
        return core::fail(ErrorCode::usage,
                          option + " " + revision + ": there is no such commit in " + repository_);
    }
    return lines.back();
}

// With the clone's configuration: the user's own may have filters that run when files are compared.
std::size_t History::changed_files() const {
    const auto tree = user_.call({"rev-parse", "--show-toplevel"});
    const std::string copy = clone_folder_ + "/index-of-user";
    std::error_code error;
    std::filesystem::copy_file(user_index_, copy, std::filesystem::copy_options::overwrite_existing,
                               error);
    if (error || !tree || tree->code != 0) {
        return 0;
    }
    const auto said = clone_.call(
        {"diff-files", "--name-only"},
        {"GIT_INDEX_FILE=" + copy, "GIT_WORK_TREE=" + tree->out.substr(0, tree->out.find('\n'))});
    return said && said->code == 0 ? lines_of(said->out).size() : 0;
}

Result<CommitFacts> History::facts_of(const std::string& commit) const {
    ISOTICK_TRY_ASSIGN(const auto shown, clone_.ask({"log", "-1", "--no-show-signature",
                                                     "--format=%H%n%aI%n%s", commit}));
    auto lines = lines_of(shown);
    lines.resize(3);
    CommitFacts facts{lines[0], lines[1], lines[2], {}};
    ISOTICK_TRY_ASSIGN(const auto files, clone_.ask({"log", "-1", "--first-parent", "-m", "--root",
                                                     "--name-only", "--no-renames", "--no-ext-diff",
                                                     "--no-textconv", "--format=", commit}));
    facts.files = lines_of(files);
    return facts;
}

Result<std::optional<std::string>> History::parent_of(const std::string& commit) const {
    ISOTICK_TRY_ASSIGN(const auto parents, clone_.ask({"log", "-1", "--format=%P", commit}));
    const std::string first = parents.substr(0, parents.find(' '));
    return first.empty() ? std::nullopt : std::optional(first);
}

Result<std::vector<std::string>> History::line_to(const std::string& commit) const {
    return clone_.ask({"rev-list", "--first-parent", commit}).map(lines_of);
}

Result<bool> History::is_ancestor(const std::string& ancestor, const std::string& commit) const {
    return clone_.call({"merge-base", "--is-ancestor", ancestor, commit})
        .map([](const GitResult& said) { return said.code == 0; });
}

Result<std::string> History::diff(const std::string& parent, const std::string& commit) const {
    return clone_.ask({"-c", "core.quotePath=false", "diff", "--unified=0", "--no-renames",
                       "--no-ext-diff", "--no-textconv", "--no-color", "--src-prefix=a/",
                       "--dst-prefix=b/", parent, commit, "--"});
}

Result<std::string> History::content_of(const std::string& commit,
                                        const std::vector<std::string>& paths) const {
    if (paths.empty()) {
        return clone_.ask({"rev-parse", "--verify", commit + "^{tree}"});
    }
    std::vector<std::string> words{"ls-tree", "--full-tree", commit, "--"};
    for (const std::string& path : paths) {
        words.push_back(path.size() > 1 && path.ends_with('/') ? path.substr(0, path.size() - 1)
                                                               : path);
    }
    return clone_.ask(words);
}

Result<bool> History::check_out(const CheckoutPlan& plan) const {
    const std::string index = plan.folder + ".index";
    const std::vector<std::string> variables{"GIT_INDEX_FILE=" + index,
                                             "GIT_WORK_TREE=" + plan.folder};
    auto written = clone_.ask({"read-tree", "-u", "--reset", plan.commit}, variables);
    bool fits = true;
    if (written && !plan.glue.empty()) {
        std::vector<std::string> words{"checkout", "--quiet", plan.glue_from, "--"};
        words.insert(words.end(), plan.glue.begin(), plan.glue.end());
        ISOTICK_TRY_ASSIGN(const auto said, clone_.call(words, variables));
        fits = said.code == 0;
    }
    std::error_code ignored;
    std::filesystem::remove(index, ignored);
    return written ? Result<bool>(fits) : tl::unexpected(written.error());
}

}  // namespace isotick::harness::bisect
