#include "builder.hpp"

#include "../../platform/processes/command.hpp"
#include "overlay.hpp"
#include "placeholders.hpp"

#include <isotick/core/detail/try.hpp>
#include <isotick/core/hash.hpp>

#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <system_error>
#include <thread>

namespace isotick::harness::bisect {
namespace {

namespace fs = std::filesystem;
using core::ErrorCode;
using core::Result;

constexpr int kDoesNotFit = 125;  // as git's own commands say that a commit cannot be tested
constexpr const char* kDone = "/done";

// How a build that was made ended; none where it was not made to its end.
std::optional<Build> kept_in(const std::string& folder) {
    std::ifstream file(folder + kDone, std::ios::binary);
    std::string end;
    Build build;
    if (!std::getline(file, end)) {
        return std::nullopt;
    }
    std::getline(file, build.reason);
    build.end = end == "built"         ? BuildEnd::built
                : end == "not-fitting" ? BuildEnd::not_fitting
                                       : BuildEnd::not_building;
    build.from_cache = true;
    return build;
}

Result<void> keep(const Build& build) {
    const char* end = build.end == BuildEnd::built         ? "built"
                      : build.end == BuildEnd::not_fitting ? "not-fitting"
                                                           : "not-building";
    std::ofstream file(build.folder + kDone, std::ios::binary);
    file << end << '\n' << build.reason << '\n';
    file.close();
    return file ? Result<void>() : core::fail(ErrorCode::io, build.folder + ": cannot be written");
}

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

std::string describe(const CommandResult& done, const Recipe& recipe) {
    switch (done.end) {
        case CommandEnd::timed_out:
            return "the build took longer than " + std::to_string(recipe.timeout_ms / 1000) + " s";
        case CommandEnd::printed_too_much:
            return "the build printed more than " + std::to_string(recipe.most_output >> 20) +
                   " MiB";
        case CommandEnd::stopped:
        case CommandEnd::ended:
            break;
    }
    return "the build " + describe_end(done.process);
}

}  // namespace

Result<Builder> Builder::make(const History& history, Recipe recipe, std::string work,
                              std::function<bool()> stop) {
    if (recipe.simulation.find("{out}") == std::string::npos &&
        recipe.simulation.find("{src}") == std::string::npos) {
        return core::fail(ErrorCode::usage,
                          "--sim " + recipe.simulation +
                              ": has neither {out} nor {src}, so all revisions would be the same");
    }
    Builder builder(history, std::move(recipe), std::move(work), std::move(stop));
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
    core::StreamDigester digester;
    const std::string keeps_sources = needs_sources(recipe_.simulation) ? "sources" : "";
    for (const std::string& each :
         {content, glue, recipe_.command, overlay_digest_, keeps_sources}) {
        digester.update(each.size());
        digester.update(std::as_bytes(std::span(each)));
    }
    return to_string(digester.value());
}

// As it is kept, or as it has to be made.
Result<Build> Builder::begun(const std::string& commit) const {
    ISOTICK_TRY_ASSIGN(const auto key, key_of(commit));
    const std::string folder = work_ + "/builds/" + key;
    Build build = kept_in(folder).value_or(Build());
    build.folder = folder;
    build.simulation = expanded_simulation(recipe_.simulation, folder);
    return build;
}

Result<Build> Builder::build(const std::string& commit) {
    ISOTICK_TRY_ASSIGN(auto build, begun(commit));
    if (!build.from_cache) {
        ++made_;
        return make_in(commit, std::move(build));
    }
    if (made_ahead_.erase(build.folder) != 0) {
        build.from_cache = false;
    } else {
        ++reused_;
    }
    return build;
}

Result<void> Builder::build_ahead(const std::vector<std::string>& commits) {
    std::vector<std::thread> threads;
    for (const std::string& commit : commits) {
        auto build = begun(commit);
        if (!build || build->from_cache || !made_ahead_.insert(build->folder).second) {
            continue;
        }
        ++made_;
        threads.emplace_back([this, commit, build = *std::move(build)]() mutable {
            static_cast<void>(make_in(commit, std::move(build)));
        });
    }
    for (std::thread& thread : threads) {
        thread.join();
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
        ISOTICK_TRY(keep(build));
        return build;
    }
    return run_in(std::move(build));
}

Result<Build> Builder::run_in(Build build) const {
    const std::string log = build.folder + "/log";
    const FileDescriptor output(
        ::open(log.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC, 0666));
    if (output.get() < 0) {
        return system_failure(log + " cannot be written");
    }
    Command command;
    command.words = {"sh", "-c", expanded_command(recipe_.command, build.folder)};
    command.environment = environment_without("GIT_");
    command.folder = build.folder + "/src";
    command.output = command.errors = output.get();
    command.timeout_ms = recipe_.timeout_ms;
    command.most_output = recipe_.most_output;
    command.memory_limit = recipe_.memory_limit;
    command.stop = stop_;
    ISOTICK_TRY_ASSIGN(const auto done, run_command(command));
    if (done.end == CommandEnd::stopped) {
        return interrupted();
    }
    if (done.end != CommandEnd::ended || !done.process.well()) {
        ISOTICK_TRY(check_room(build.folder));
        const bool unfit = done.process.exit_code == kDoesNotFit;
        build.end = unfit ? BuildEnd::not_fitting : BuildEnd::not_building;
        build.reason = describe(done, recipe_);
    }
    std::error_code ignored;
    if (build.end != BuildEnd::built || !needs_sources(recipe_.simulation)) {
        fs::remove_all(build.folder + "/src", ignored);
    }
    if (done.end != CommandEnd::timed_out) {  // a longer time may be given to the next
        ISOTICK_TRY(keep(build));
    }
    return build;
}

}  // namespace isotick::harness::bisect
