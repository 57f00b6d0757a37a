#include <isotick/core/detail/adapter/simulation_table.hpp>
#include <isotick/core/detail/try.hpp>
#include <isotick/core/hash.hpp>

#include <cstddef>

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
