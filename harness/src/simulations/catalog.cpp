// Which simulation a name stands for: built-in, plug-in or process; whether it fits a recording.

#include <isotick/core/detail/simulation_table.hpp>
#include <isotick/core/detail/text.hpp>
#include <isotick/core/detail/try.hpp>
#include <isotick/harness/detail/simulation_catalog.hpp>
#include <isotick/harness/detail/simulation_facts.hpp>

#include <algorithm>
#include <cstring>
#include <dlfcn.h>
#include <filesystem>
#include <string>
#include <system_error>
#include <utility>

namespace isotick::harness {
namespace {

std::string string_of(const char* text) {
    return text == nullptr ? "" : text;
}

}  // namespace

SimulationFacts facts_of(const isotick_simulation_table& table) {
    const isotick_info& info = *table.info;
    return {
        .name = info.name,
        .summary = string_of(info.summary),
        .config_help = string_of(info.config_help),
        .build_id = string_of(info.build_id),
        .hash_algorithm = std::string(core::hash_algorithm(info)),
        .nan_policy = std::string(core::nan_policy(info)),
        .rate = core::preferred_rate(info),
        .least_players = info.least_players,
        .most_players = info.most_players,
        .usual_players = info.usual_players,
        .capabilities = info.capabilities,
        .has_bot = table.propose_input != nullptr,
        .calls = {.begin_frame = table.begin_frame != nullptr, .render = table.render != nullptr}};
}

namespace {

using core::Error;
using core::ErrorCode;
using core::Result;

tl::unexpected<Error> refuse(const std::string& path, ErrorCode code, std::string message) {
    return tl::unexpected(Error{code, std::move(message), path, {}, {}});
}

Result<void> check_file(const std::string& path) {
    std::error_code error;
    const auto status = std::filesystem::status(path, error);
    if (!std::filesystem::exists(status)) {
        return refuse(path, ErrorCode::usage, "there is no such shared library");
    }
    if (!std::filesystem::is_regular_file(status)) {
        return refuse(path, ErrorCode::usage, "this is not a file, so not a shared library");
    }
    return {};
}

std::string last_loader_error() {
    const char* text = dlerror();
    return text == nullptr ? "unknown reason" : text;
}

}  // namespace

Result<PluginLibrary> PluginLibrary::load(const std::string& path) {
    ISOTICK_TRY(check_file(path));
    // A name without a slash would be looked for in the system's folders.
    const std::string absolute = std::filesystem::absolute(path).string();
    void* handle = dlopen(absolute.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (handle == nullptr) {
        return refuse(path, ErrorCode::usage, "cannot be loaded: " + last_loader_error());
    }
    PluginLibrary library(handle);
    void* symbol = dlsym(handle, ISOTICK_PLUGIN_ENTRY);
    if (symbol == nullptr) {
        return refuse(path, ErrorCode::usage,
                      "exports no function " ISOTICK_PLUGIN_ENTRY ": not a plug-in of isotick");
    }
    isotick_simulation_entry_function entry = nullptr;
    static_assert(sizeof entry == sizeof symbol);
    std::memcpy(&entry, &symbol, sizeof entry);
    library.table_ = entry();
    if (auto checked = core::check_table(library.table_); !checked) {
        return refuse(path, ErrorCode::usage, checked.error().message);
    }
    return library;
}

PluginLibrary::~PluginLibrary() {
    if (handle_ != nullptr) {
        dlclose(handle_);
    }
}

PluginLibrary::PluginLibrary(PluginLibrary&& other) noexcept
    : handle_(std::exchange(other.handle_, nullptr)), table_(other.table_) {}

PluginLibrary& PluginLibrary::operator=(PluginLibrary&& other) noexcept {
    std::swap(handle_, other.handle_);
    std::swap(table_, other.table_);
    return *this;
}

using core::ErrorCode;
using core::Result;

SimulationCatalog::SimulationCatalog(std::vector<const isotick_simulation_table*> built_in)
    : built_in_(std::move(built_in)) {}

bool SimulationCatalog::is_library_path(std::string_view text) {
    return !text.starts_with(ProcessSimulation::kPrefix) &&
           (text.find('/') != std::string_view::npos || text.ends_with(".so") ||
            text.ends_with(".dylib"));
}

Result<const isotick_simulation_table*> SimulationCatalog::open(const SimulationName& name) {
    if (!name.is_recorded() && name.text().starts_with(ProcessSimulation::kPrefix)) {
        return open_process(name.text());
    }
    if (!name.is_recorded() && is_library_path(name.text())) {
        return open_library(name.text());
    }
    if (const auto* table = find_built_in(name.text())) {
        return table;
    }
    if (name.is_recorded()) {
        return core::fail(ErrorCode::usage,
                          "names the simulation '" + name.text() + "', but built in are only " +
                              built_in_names() +
                              "; a file never chooses what runs: name a simulation that you trust, "
                              "--sim ./PLUGIN.so or --sim 'exec:COMMAND'");
    }
    return core::fail(ErrorCode::usage, "unknown simulation '" + name.text() + "'; built in are " +
                                            built_in_names() +
                                            "; a plug-in is named by its path, a process by "
                                            "exec: and a command");
}

const isotick_simulation_table* SimulationCatalog::find_built_in(std::string_view name) const {
    const auto found = std::ranges::find_if(
        built_in_, [name](const auto* table) { return name == table->info->name; });
    return found == built_in_.end() ? nullptr : *found;
}

Result<const isotick_simulation_table*> SimulationCatalog::open_process(const std::string& text) {
    if (const auto known = processes_.find(text); known != processes_.end()) {
        return &known->second.table();
    }
    ISOTICK_TRY_ASSIGN(auto process,
                       ProcessSimulation::ask(text.substr(ProcessSimulation::kPrefix.size())));
    return &processes_.emplace(text, std::move(process)).first->second.table();
}

Result<const isotick_simulation_table*> SimulationCatalog::open_library(const std::string& path) {
    if (const auto known = libraries_.find(path); known != libraries_.end()) {
        return &known->second.table();
    }
    ISOTICK_TRY_ASSIGN(auto library, PluginLibrary::load(path));
    return &libraries_.emplace(path, std::move(library)).first->second.table();
}

std::string SimulationCatalog::built_in_names() const {
    return core::joined(built_in_, ", ", [](const auto* table) { return table->info->name; });
}

using core::ErrorCode;
using core::Result;

Result<void> check_session(const replay::RecordingHead& head, const SimulationFacts& facts) {
    if (head.session.simulation != facts.name) {
        return core::fail(ErrorCode::usage, "the recording is of '" + head.session.simulation +
                                                "', the simulation is '" + facts.name + "'");
    }
    return core::check_players(facts.name, facts.least_players, facts.most_players,
                               head.session.players);
}

Result<void> check_match(const replay::RecordingHead& head, const SimulationFacts& facts) {
    ISOTICK_TRY(check_session(head, facts));
    if (head.hash_algorithm != facts.hash_algorithm) {
        return core::fail(ErrorCode::usage, "the recording's hashes are '" + head.hash_algorithm +
                                                "', the simulation makes '" + facts.hash_algorithm +
                                                "'");
    }
    if (head.nan_policy != facts.nan_policy) {
        return core::fail(ErrorCode::usage, "the recording's hashes treat NaNs as '" +
                                                head.nan_policy + "', the simulation's as '" +
                                                facts.nan_policy + "'");
    }
    return {};
}

core::SimulationSetup setup_of(const replay::RecordingHead& head,
                               const core::Settings& environment) {
    return {.rate = head.session.rate,
            .players = head.session.players,
            .seed = head.session.seed,
            .config = head.session.config,
            .environment = environment};
}

}  // namespace isotick::harness
