#include "verdict_cache.hpp"

#include "../../src/bisect/tool.hpp"
#include "../../src/system/page.hpp"
#include "../../src/system/process.hpp"
#include "../output/output_file.hpp"
#include "../output/text.hpp"
#include "../reporters/reporter.hpp"
#include "../reporters/result_file.hpp"

#include <isotick/core/detail/try.hpp>
#include <isotick/harness/detail/version.hpp>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <sstream>
#include <string_view>
#include <thread>
#include <unistd.h>
#include <vector>

#include <fmt/format.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#if defined(__linux__)
#include <link.h>
#endif

namespace isotick::program {

using core::ErrorCode;
using core::Result;
using harness::Dependency;
using harness::bisect::content_of_file;
using harness::bisect::digest_of;

namespace {

constexpr const char* kFormat = "isotick verdict 1";

// What a program computes may depend on it: libraries choose their code by it.
std::vector<std::string> machine() {
    constexpr std::array<std::string_view, 9> kLines{"vendor_id", "model name",  "cpu family",
                                                     "model",     "flags",       "Features",
                                                     "CPU part",  "CPU variant", "microcode"};
    std::vector<std::string> facts{std::to_string(std::thread::hardware_concurrency())};
    utsname names{};
    if (uname(&names) == 0) {
        facts.insert(facts.end(), {names.sysname, names.release, names.machine});
    }
    std::istringstream processors(content_of_file("/proc/cpuinfo").value_or(""));
    for (std::string line; std::getline(processors, line) && !line.empty();) {  // the first
        std::string name = line.substr(0, line.find(':'));
        name.erase(name.find_last_not_of(" \t") + 1);
        if (std::ranges::count(kLines, name) > 0) {
            facts.push_back(line);
        }
    }
    return facts;
}

// By the C library itself, whose own calls are not seen.
bool is_read_unseen(const std::string& variable) {
    constexpr std::array<std::string_view, 7> kFamilies{"LD_", "LC_",   "LANG",   "LOCPATH",
                                                        "TZ",  "GLIBC", "MALLOC_"};
    return std::ranges::any_of(kFamilies,
                               [&](std::string_view one) { return variable.starts_with(one); });
}

std::vector<std::string> own_files() {
    std::vector<std::string> files{"/etc/localtime"};
#if defined(__linux__)
    dl_iterate_phdr(
        [](dl_phdr_info* object, std::size_t, void* to) {
            if (object->dlpi_name[0] == '/') {
                static_cast<std::vector<std::string>*>(to)->emplace_back(object->dlpi_name);
            }
            return 0;
        },
        &files);
#endif
    return files;
}

// Devices that hold nothing, and what says the same as machine() does.
bool is_always_alike(const std::string& path) {
    constexpr std::array<std::string_view, 7> kDevices{
        "/dev/null",    "/dev/zero",     "/dev/full",     "/dev/random",
        "/dev/urandom", "/proc/cpuinfo", "/proc/self/exe"};
    return std::ranges::count(kDevices, path) > 0 || path.starts_with("/sys/devices/system/cpu/");
}

std::string folder_state(const std::string& path) {
    std::vector<std::string> names;
    std::error_code error;
    for (std::filesystem::directory_iterator each(path, error), end; !error && each != end;
         each.increment(error)) {
        names.push_back(each->path().filename().string());
    }
    std::ranges::sort(names);
    return error ? "" : "folder " + digest_of(names);
}

// Empty: it cannot be told whether it will be the same.
std::string file_state(const std::string& path) {
    struct stat status {};
    if (is_always_alike(path)) {
        return "always alike";
    }
    if (stat(path.c_str(), &status) != 0) {
        return "absent";
    }
    if (path != harness::preload::kHostNameFile &&
        (path.starts_with("/proc/") || path.starts_with("/sys/"))) {
        return "";
    }
    if (S_ISDIR(status.st_mode)) {
        return folder_state(path);
    }
    if (!S_ISREG(status.st_mode)) {
        return "";
    }
    const auto content = content_of_file(path);
    return content ? digest_of({*content}) : "";
}

std::string variable_state(const std::string& name) {
    const char* const value = std::getenv(name.c_str());
    return value == nullptr ? "absent" : digest_of({value});
}

}  // namespace

Result<std::optional<VerdictCache>> VerdictCache::open(const VerifyCommandOptions& options,
                                                       const Prepared& prepared, Console& console) {
    const char* const variable = std::getenv("ISOTICK_CACHE");
    const std::string folder = !options.cache.empty() ? options.cache
                               : variable == nullptr  ? ""
                                                      : variable;
    if (folder.empty() || options.no_cache) {
        return std::nullopt;
    }
    if (options.seed == "random" || !options.budget.empty()) {
        console.remark(fmt::format("the cache is not used: with {} each run has other trials",
                                   options.budget.empty() ? "--seed random" : "--for"));
        return std::nullopt;
    }
    if (options.own_shard.by_trials) {
        console.remark(
            "the cache is not used: with --shard-trials each run has some of the trials");
        return std::nullopt;
    }
    if (options.simulation.starts_with("exec:") && options.cache_key.empty()) {
        console.remark(
            "the cache is not used: what a process reads is not seen; name it with --cache-key");
        return std::nullopt;
    }
    if (const auto log = harness::DependencyLog::make(); !log) {
        console.remark("the cache is not used: " + describe(log.error()));
        return std::nullopt;
    }
    ISOTICK_TRY(harness::bisect::make_folder(folder));
    VerdictCache cache(folder, !options.cache_key.empty());
    std::error_code error;
    std::vector<std::string> base{kFormat,
                                  harness::kVersion,
                                  options.same_for_all,
                                  options.cache_key,
                                  std::filesystem::current_path(error).string(),
                                  std::to_string(geteuid())};
    for (const auto& setting : prepared.environment.entries()) {
        base.insert(base.end(), {setting.first, setting.second});
    }
    std::ranges::move(machine(), std::back_inserter(base));
    std::ranges::copy_if(harness::own_environment(), std::back_inserter(base), is_read_unseen);
    base.push_back(digest_of({content_of_file("/proc/self/exe").value_or("")}));
    std::vector<std::string> files = own_files();
    std::ranges::move(files_read(options, prepared.schedule, options.recorded_by),
                      std::back_inserter(files));
    for (const std::string& file : files) {
        base.push_back(cache.state_of({Dependency::Kind::file, file}));
    }
    cache.base_ = digest_of(base);
    return cache;
}

// What one run has seen stays: what changes meanwhile is not kept.
const std::string& VerdictCache::state_of(const Dependency& one) {
    const auto known = states_.find(one);
    return known != states_.end()
               ? known->second
               : states_
                     .emplace(one, one.kind == Dependency::Kind::file ? file_state(one.name)
                                                                      : variable_state(one.name))
                     .first->second;
}

// Of its verdict. Empty where the recording cannot be read.
std::string VerdictCache::name_of(const std::string& recording) const {
    const auto content = content_of_file(recording);
    return content ? digest_of({base_, recording, *content}) : "";
}

std::string VerdictCache::place_of(const std::string& name) const {
    return folder_ + "/" + name.substr(0, 2) + "/" + name.substr(2) + ".json";
}

bool VerdictCache::holds(const Json& dependencies) {
    return std::ranges::all_of(
        dependencies.get_ref<const Json::array_t&>(), [this](const Json& one) {
            const bool is_file = one.at("kind").get<std::string>() == "file";
            return one.at("state") ==
                   state_of({is_file ? Dependency::Kind::file : Dependency::Kind::variable,
                             one.at("name").get<std::string>()});
        });
}

std::optional<ReportedRecording> VerdictCache::find(const std::string& recording) {
    const std::string name = name_of(recording);
    names_[recording] = name;
    if (name.empty()) {
        return std::nullopt;
    }
    const auto text = content_of_file(place_of(name));
    if (!text) {
        return std::nullopt;
    }
    const std::size_t end = text->find('\n');  // of the digest of all that follows
    if (end == std::string::npos ||
        digest_of({name, text->substr(end + 1)}) != text->substr(0, end)) {
        return std::nullopt;
    }
    try {
        const Json json = Json::parse(std::string_view(*text).substr(end + 1));
        if (!holds(json.at("dependencies"))) {
            return std::nullopt;
        }
        ReportedRecording found = recording_of(json.at("verdict"));
        found.from_cache = true;
        found.seconds = 0;
        found.result["from_cache"] = true;
        const std::size_t last = found.page.rfind('\n', found.page.size() - 2) + 1;
        found.page.insert(last, paragraph("cache", "nothing has changed since this was verified"));
        return found;
    } catch (const std::exception&) {
        return std::nullopt;
    }
}

// The system's clock may be a few milliseconds behind when it marks a file. The times of a file in
// /proc say when the kernel made its entry, not when its content changed.
bool VerdictCache::was_changed_lately(const std::string& path) const {
    using namespace std::chrono;
    if (path == harness::preload::kHostNameFile) {
        return false;
    }
    struct stat status {};
    if (stat(path.c_str(), &status) != 0) {
        return false;
    }
    const auto limit = (begun_ - milliseconds(20)).time_since_epoch();
    return std::ranges::any_of(std::array{status.st_mtim, status.st_ctim}, [&](const timespec& at) {
        return seconds(at.tv_sec) + nanoseconds(at.tv_nsec) > limit;
    });
}

Result<Json> VerdictCache::states_of(const std::vector<Dependency>& found,
                                     const std::string& recording) {
    Json all = Json::array();
    for (const Dependency& one : found) {
        const bool is_file = one.kind == Dependency::Kind::file;
        std::error_code error;
        if (is_file && std::filesystem::equivalent(one.name, recording, error)) {
            continue;  // it is looked up by its content
        }
        const std::string& state = state_of(one);
        if (state.empty() && !has_key_) {
            return core::fail(ErrorCode::io, "the simulation reads " + one.name +
                                                 "; --cache-key says that it does not matter");
        }
        const bool has_content = is_file && !state.empty() && !is_always_alike(one.name);
        if (has_content && was_changed_lately(one.name)) {
            return core::fail(ErrorCode::io, one.name + " was changed meanwhile");
        }
        all.push_back(
            {{"kind", is_file ? "file" : "variable"}, {"name", one.name}, {"state", state}});
    }
    return all;
}

Result<void> VerdictCache::try_to_keep(const ReportedRecording& verdict,
                                       const harness::DependencyLog& log) {
    const std::string name = name_of(verdict.recording);
    if (name.empty() || name != names_[verdict.recording]) {
        return core::fail(ErrorCode::io, verdict.recording + " was changed meanwhile");
    }
    ISOTICK_TRY_ASSIGN(const auto found, log.read());
    ISOTICK_TRY_ASSIGN(auto dependencies, states_of(found, verdict.recording));
    ReportedRecording plain = verdict;
    plain.page = without_colors(verdict.page);
    const std::string text =
        in_one_line({{"dependencies", std::move(dependencies)}, {"verdict", result_of(plain)}});
    const std::string place = place_of(name);
    ISOTICK_TRY(harness::bisect::make_folder(std::filesystem::path(place).parent_path().string()));
    ISOTICK_TRY_ASSIGN(auto file, OutputFile::create(place, true));
    ISOTICK_TRY(file.write(digest_of({name, text}) + "\n" + text));
    return file.complete();
}

void VerdictCache::keep(const ReportedRecording& verdict, const harness::DependencyLog& log,
                        Console& console) {
    const auto kept = try_to_keep(verdict, log);
    if (!kept && said_.insert(describe(kept.error())).second) {
        console.remark("a verdict is not kept in the cache: " + describe(kept.error()));
    }
}

}  // namespace isotick::program
