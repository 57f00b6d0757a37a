#include "git.hpp"

#include "../../platform/processes/command.hpp"

#include <isotick/core/detail/try.hpp>

#include <sstream>
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

}  // namespace isotick::harness::bisect
