// The parts of the adapter that are not templates; settings; tables of simulations.

#include "../loops/engine.hpp"

#include <isotick/core/adapter.hpp>
#include <isotick/core/detail/c_calls.hpp>
#include <isotick/core/detail/settings.hpp>
#include <isotick/core/detail/simulation_table.hpp>
#include <isotick/core/detail/try.hpp>
#include <isotick/core/hash.hpp>
#include <isotick/core/triple_buffer.hpp>

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstring>
#include <mutex>

namespace isotick::core::c_api {

std::int32_t status_of(ErrorCode code) {
    switch (code) {
        case ErrorCode::usage:
            return ISOTICK_ERROR_USAGE;
        case ErrorCode::io:
            return ISOTICK_ERROR_IO;
        case ErrorCode::damaged:
            return ISOTICK_ERROR_DAMAGED;
        case ErrorCode::version:
            return ISOTICK_ERROR_VERSION;
        case ErrorCode::limit:
            return ISOTICK_ERROR_LIMIT;
        case ErrorCode::simulation:
            break;
    }
    return ISOTICK_ERROR_INTERNAL;
}

std::int32_t report(const Error& error, isotick_message* message) {
    detail::write_message(message, describe(error).c_str());
    return status_of(error.code);
}

}  // namespace isotick::core::c_api

namespace isotick::core {

double alpha_at(TickRate rate, std::uint64_t ticks_done, std::int64_t now) {
    const std::int64_t since = rate.time_of(ticks_done);
    const std::int64_t until = rate.time_of(ticks_done + 1);
    if (now <= since || until <= since) {
        return 0;
    }
    return below_one(static_cast<double>(now - since) / static_cast<double>(until - since));
}

}  // namespace isotick::core

namespace isotick::core::detail {

void write_message(isotick_message* message, const char* text) {
    if (message == nullptr || message->text == nullptr || message->capacity == 0) {
        return;
    }
    const std::size_t length =
        std::min(std::strlen(text), static_cast<std::size_t>(message->capacity) - 1);
    std::memcpy(message->text, text, length);
    message->text[length] = '\0';
}

Result<Settings> settings_from_c(const isotick_setting* entries, std::uint32_t count) {
    Settings settings;
    for (std::uint32_t i = 0; i < count; ++i) {
        if (entries == nullptr || entries[i].key == nullptr || entries[i].value == nullptr) {
            return fail(ErrorCode::usage, "setting " + std::to_string(i) + " has no key or value");
        }
        ISOTICK_TRY(settings.set(entries[i].key, entries[i].value));
    }
    return settings;
}

std::vector<isotick_setting> settings_as_c(const Settings& settings) {
    std::vector<isotick_setting> entries;
    for (const auto& [key, value] : settings.entries()) {
        entries.push_back({key.c_str(), value.c_str()});
    }
    return entries;
}

}  // namespace isotick::core::detail

namespace isotick::core {
namespace {

bool key_before(const Settings::Entry& entry, std::string_view key) {
    return entry.first < key;
}

}  // namespace

Result<void> Settings::set(std::string key, std::string value) {
    if (key.empty() || key.find_first_of(std::string_view("=\0", 2)) != std::string::npos) {
        return fail(ErrorCode::usage, "'" + key + "' cannot be a setting's name");
    }
    if (value.find('\0') != std::string::npos) {
        return fail(ErrorCode::usage, "the value of '" + key + "' holds a NUL character");
    }
    const auto place = std::lower_bound(entries_.begin(), entries_.end(), key, key_before);
    if (place != entries_.end() && place->first == key) {
        place->second = std::move(value);
    } else {
        entries_.emplace(place, std::move(key), std::move(value));
    }
    return {};
}

Result<void> Settings::set_text(std::string_view key_equals_value) {
    const std::size_t equals = key_equals_value.find('=');
    if (equals == std::string_view::npos) {
        return fail(ErrorCode::usage,
                    "'" + std::string(key_equals_value) + "' is not of the form key=value");
    }
    return set(std::string(key_equals_value.substr(0, equals)),
               std::string(key_equals_value.substr(equals + 1)));
}

std::optional<std::string_view> Settings::find(std::string_view key) const {
    const auto place = std::lower_bound(entries_.begin(), entries_.end(), key, key_before);
    if (place == entries_.end() || place->first != key) {
        return std::nullopt;
    }
    if (observer_) {
        observer_->read(place->first.c_str());
    }
    return place->second;
}

const std::vector<Settings::Entry>& Settings::entries() const {
    if (observer_) {
        for (const Entry& entry : entries_) {
            observer_->read(entry.first.c_str());
        }
    }
    return entries_;
}

Result<std::uint64_t> Settings::number(std::string_view key, std::uint64_t fallback,
                                       std::uint64_t least, std::uint64_t most) const {
    const auto text = find(key);
    if (!text) {
        return fallback;
    }
    std::uint64_t value = 0;
    const auto [end, error] = std::from_chars(text->data(), text->data() + text->size(), value);
    if (error != std::errc() || end != text->data() + text->size() || value < least ||
        value > most) {
        return fail(ErrorCode::usage, "config " + std::string(key) + "=" + std::string(*text) +
                                          " is not a whole number from " + std::to_string(least) +
                                          " to " + std::to_string(most));
    }
    return value;
}

std::string to_string(const Settings& settings) {
    std::string text;
    for (const auto& [key, value] : settings.entries()) {
        text += (text.empty() ? "" : " ") + key + "=" + value;
    }
    return text;
}

}  // namespace isotick::core

namespace isotick::core::detail {

void write_all(const isotick_sink& sink, std::string_view bytes) {
    if (sink.write(sink.context, bytes.data(), bytes.size()) != ISOTICK_OK) {
        throw std::runtime_error("the host takes no more");
    }
}

/// Passes on what is looked up until it is closed: settings may be copied and live longer.
class ReportedReads::Reporter : public ReadObserver {
  public:
    using Call = void (*)(void* reads, const char* key);

    Reporter(Call call, void* reads) : call_(call), reads_(reads) {}

    void read(const char* key) override {
        const std::lock_guard lock(mutex_);
        if (call_ != nullptr) {
            call_(reads_, key);
        }
    }

    void close() {
        const std::lock_guard lock(mutex_);
        call_ = nullptr;
    }

  private:
    std::mutex mutex_;
    Call call_;
    void* reads_;
};

ReportedReads::ReportedReads(const isotick_setup& setup) {
    config_ = std::make_shared<Reporter>(setup.read_config, setup.reads);
    environment_ = std::make_shared<Reporter>(setup.read_environment, setup.reads);
}

ReportedReads::~ReportedReads() {
    config_->close();
    environment_->close();
}

SimulationSetup ReportedReads::take(const isotick_setup& setup) const {
    SimulationSetup made{
        .rate = take_setting(TickRate::make(setup.rate_numerator, setup.rate_denominator)),
        .players = setup.players,
        .seed = setup.seed,
        .config = take_setting(settings_from_c(setup.config, setup.config_count)),
        .environment = take_setting(settings_from_c(setup.environment, setup.environment_count))};
    made.config.observe_reads(config_);
    made.environment.observe_reads(environment_);
    return made;
}

bool copy_parts(const HashSink& sink, std::span<isotick_part> parts, std::uint32_t& count) {
    const std::span<const HashSink::Part> hashed = sink.parts();
    if (hashed.size() > parts.size()) {
        return false;
    }
    for (std::size_t i = 0; i < hashed.size(); ++i) {
        parts[i] = {hashed[i].name.c_str(), hashed[i].hash.value};
    }
    count = static_cast<std::uint32_t>(hashed.size());
    return true;
}

}  // namespace isotick::core::detail

namespace isotick::core {
namespace {

// The structs as version 1 defined them: no reader accepts less.
constexpr std::size_t kTableSize = sizeof(isotick_simulation_table);
constexpr std::size_t kInfoSize = sizeof(isotick_info);

tl::unexpected<Error> bad_table(const std::string& what) {
    return fail(ErrorCode::simulation, "the simulation's table cannot be used: " + what);
}

tl::unexpected<Error> too_small(const char* what, std::uint32_t size, std::size_t needed) {
    return bad_table(std::string(what) + ".struct_size is " + std::to_string(size) +
                     ", but version 1 has " + std::to_string(needed) + " bytes");
}

// What `capability` promises, and whether the table keeps it.
Result<void> check_promise(const isotick_simulation_table& table, std::uint64_t capability,
                           const char* name, const char* members, bool kept) {
    return (table.info->capabilities & capability) == 0 || kept
               ? Result<void>()
               : bad_table(std::string("info declares ") + name + ", but " + members +
                           " is missing");
}

Result<void> check_capabilities(const isotick_simulation_table& table) {
    const bool describes = table.describe_input != nullptr && table.compose_input != nullptr;
    ISOTICK_TRY(check_promise(table, ISOTICK_CAN_SAVE, "ISOTICK_CAN_SAVE", "save or load",
                              table.save != nullptr && table.load != nullptr));
    ISOTICK_TRY(check_promise(table, ISOTICK_HAS_FIELDS, "ISOTICK_HAS_FIELDS", "visit_fields",
                              table.visit_fields != nullptr));
    ISOTICK_TRY(check_promise(table, ISOTICK_HAS_MEMORY, "ISOTICK_HAS_MEMORY", "visit_memory",
                              table.visit_memory != nullptr));
    ISOTICK_TRY(check_promise(table, ISOTICK_DESCRIBES_INPUTS, "ISOTICK_DESCRIBES_INPUTS",
                              "describe_input or compose_input", describes));
    ISOTICK_TRY(check_promise(table, ISOTICK_NOTES_WRITES, "ISOTICK_NOTES_WRITES", "note_writes",
                              table.note_writes != nullptr));
    return check_promise(table, ISOTICK_QUEUES_CALLS, "ISOTICK_QUEUES_CALLS", "settle",
                         table.settle != nullptr);
}

}  // namespace

Result<void> check_info(const isotick_info* info) {
    if (info == nullptr) {
        return bad_table("info is null");
    }
    if (info->struct_size < kInfoSize) {
        return too_small("info", info->struct_size, kInfoSize);
    }
    if (info->name == nullptr || *info->name == '\0') {
        return bad_table("info.name is null or empty");
    }
    if (!TickRate::make(info->rate_numerator, info->rate_denominator)) {
        return bad_table("info.rate_numerator / info.rate_denominator is not a rate");
    }
    if (info->least_players > info->usual_players || info->usual_players > info->most_players) {
        return bad_table("info needs least_players <= usual_players <= most_players");
    }
    if (info->hash_algorithm != nullptr &&
        !std::string_view(info->hash_algorithm).starts_with("user:")) {
        return bad_table("info.hash_algorithm must be null or begin with 'user:'");
    }
    if (const std::string_view policy = nan_policy(*info);
        policy != to_string(NanPolicy::bits) && policy != to_string(NanPolicy::one)) {
        return bad_table("info.nan_policy must be null, 'bits' or 'one'");
    }
    return {};
}

Result<void> check_table(const isotick_simulation_table* table) {
    if (table == nullptr) {
        return bad_table("it is null");
    }
    if (table->abi_version != ISOTICK_ABI_VERSION) {
        return fail(ErrorCode::version,
                    "the simulation's table has abi_version " + std::to_string(table->abi_version) +
                        ", this isotick speaks version " + std::to_string(ISOTICK_ABI_VERSION));
    }
    if (table->struct_size < kTableSize) {
        return too_small("table", table->struct_size, kTableSize);
    }
    if (table->create == nullptr) {
        return bad_table("create is null");
    }
    if (table->destroy == nullptr) {
        return bad_table("destroy is null");
    }
    if (table->step == nullptr) {
        return bad_table("step is null");
    }
    if (table->hash == nullptr) {
        return bad_table("hash is null");
    }
    ISOTICK_TRY(check_info(table->info));
    return check_capabilities(*table);
}

Result<void> check_players(std::string_view name, std::uint32_t least, std::uint32_t most,
                           std::uint32_t players) {
    if (players >= least && players <= most) {
        return {};
    }
    const std::string range = least == most ? std::to_string(least)
                                            : std::to_string(least) + " to " + std::to_string(most);
    return fail(ErrorCode::usage,
                std::string(name) + " takes " + range + " players, not " + std::to_string(players));
}

Result<void> check_setup(const isotick_info& info, const SimulationSetup& setup) {
    return check_players(info.name, info.least_players, info.most_players, setup.players);
}

TickRate preferred_rate(const isotick_info& info) {
    return TickRate::make(info.rate_numerator, info.rate_denominator).value_or(TickRate());
}

std::string_view hash_algorithm(const isotick_info& info) {
    return info.hash_algorithm == nullptr ? kHashAlgorithm : info.hash_algorithm;
}

std::string_view nan_policy(const isotick_info& info) {
    return info.nan_policy == nullptr ? to_string(NanPolicy::bits) : info.nan_policy;
}

}  // namespace isotick::core
