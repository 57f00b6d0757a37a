#include <isotick/core/detail/simulation_table.hpp>
#include <isotick/core/simulation.hpp>

#include <cstddef>
#include <functional>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace isotick::core {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

isotick_info good_info() {
    isotick_info info{};
    info.struct_size = sizeof info;
    info.rate_numerator = 60;
    info.rate_denominator = 1;
    info.name = "test";
    return info;
}

isotick_simulation_table good_table(const isotick_info& info) {
    isotick_simulation_table table{};
    table.struct_size = sizeof table;
    table.abi_version = ISOTICK_ABI_VERSION;
    table.info = &info;
    table.create = [](const isotick_simulation_table*, const isotick_setup*, isotick_simulation**,
                      isotick_message*) { return ISOTICK_FAILED; };
    table.destroy = [](isotick_simulation*) {};
    table.step = [](isotick_simulation*, const isotick_step*, isotick_message*) {
        return ISOTICK_OK;
    };
    table.hash = [](isotick_simulation*, isotick_part*, std::uint32_t, std::uint32_t*,
                    isotick_message*) { return ISOTICK_OK; };
    return table;
}

// A simulation that names its parts in each call as it is told.
struct NamedRow {
    std::vector<const char*> names;
};
NamedRow named;

isotick_simulation_table table_of_names(const isotick_info& info) {
    isotick_simulation_table table = good_table(info);
    table.create = [](const isotick_simulation_table*, const isotick_setup*,
                      isotick_simulation** simulation, isotick_message*) {
        *simulation = reinterpret_cast<isotick_simulation*>(&named);
        return ISOTICK_OK;
    };
    table.hash = [](isotick_simulation*, isotick_part* parts, std::uint32_t, std::uint32_t* count,
                    isotick_message*) {
        *count = static_cast<std::uint32_t>(named.names.size());
        for (std::size_t i = 0; i < named.names.size(); ++i) {
            parts[i] = {named.names[i], i};
        }
        return ISOTICK_OK;
    };
    return table;
}

std::string hashed_as(Simulation& simulation, std::vector<const char*> names) {
    named.names = std::move(names);
    const auto hash = simulation.hash();
    return hash ? "" : hash.error().message;
}

TEST(PartNames, AreTheSameInEachCallWhateverPointsToThem) {
    const isotick_info info = good_info();
    const isotick_simulation_table table = table_of_names(info);
    auto simulation = Simulation::create(table, {}).value();
    const std::string units = "units";
    const std::string elsewhere = "units";
    EXPECT_EQ(hashed_as(simulation, {units.c_str(), "random"}), "");
    EXPECT_EQ(hashed_as(simulation, {units.c_str(), "random"}), "");
    EXPECT_EQ(hashed_as(simulation, {elsewhere.c_str(), "random"}), "");
    EXPECT_THAT(hashed_as(simulation, {"unit", "random"}),
                HasSubstr("renamed part 'units' to 'unit'"));
    EXPECT_THAT(hashed_as(simulation, {units.c_str(), units.c_str()}),
                HasSubstr("renamed part 'random' to 'units'"));
    EXPECT_THAT(hashed_as(simulation, {units.c_str()}), HasSubstr("gave 1 parts after 2"));
    EXPECT_THAT(hashed_as(simulation, {units.c_str(), nullptr}),
                HasSubstr("a part without a name"));
    EXPECT_THAT(hashed_as(simulation, {units.c_str(), ""}), HasSubstr("a part without a name"));
    EXPECT_THAT(simulation.part_names(), ElementsAre("units", "random"));
}

struct Fault {
    const char* message;
    std::function<void(isotick_info&, isotick_simulation_table&)> plant;
};

void PrintTo(const Fault& fault, std::ostream* out) {
    *out << fault.message;
}

void queue_without_settle(isotick_info& info, isotick_simulation_table&) {
    info.capabilities = ISOTICK_QUEUES_CALLS;
}

class BadTable : public ::testing::TestWithParam<Fault> {};

TEST_P(BadTable, IsRefusedWithTheMemberThatIsWrong) {
    isotick_info info = good_info();
    isotick_simulation_table table = good_table(info);
    ASSERT_TRUE(check_table(&table));
    GetParam().plant(info, table);
    const auto checked = check_table(&table);
    ASSERT_FALSE(checked);
    EXPECT_THAT(checked.error().message, HasSubstr(GetParam().message));
}

INSTANTIATE_TEST_SUITE_P(
    SimulationTable, BadTable,
    ::testing::Values(Fault{"abi_version 2", [](auto&, auto& table) { table.abi_version = 2; }},
                      Fault{"table.struct_size is 8",
                            [](auto&, auto& table) { table.struct_size = 8; }},
                      Fault{"create is null", [](auto&, auto& table) { table.create = nullptr; }},
                      Fault{"destroy is null", [](auto&, auto& table) { table.destroy = nullptr; }},
                      Fault{"step is null", [](auto&, auto& table) { table.step = nullptr; }},
                      Fault{"hash is null", [](auto&, auto& table) { table.hash = nullptr; }},
                      Fault{"info is null", [](auto&, auto& table) { table.info = nullptr; }},
                      Fault{"info.struct_size is 4",
                            [](auto& facts, auto&) { facts.struct_size = 4; }},
                      Fault{"info.name", [](auto& facts, auto&) { facts.name = ""; }},
                      Fault{"is not a rate",
                            [](auto& facts, auto&) { facts.rate_denominator = 0; }},
                      Fault{"least_players", [](auto& facts, auto&) { facts.least_players = 1; }},
                      Fault{"info.nan_policy",
                            [](auto& facts, auto&) { facts.nan_policy = "none"; }},
                      Fault{"save or load is missing",
                            [](auto& facts, auto&) { facts.capabilities = ISOTICK_CAN_SAVE; }},
                      Fault{"visit_fields is missing",
                            [](auto& facts, auto&) { facts.capabilities = ISOTICK_HAS_FIELDS; }},
                      Fault{"settle is missing", queue_without_settle},
                      Fault{"visit_memory is missing",
                            [](auto& facts, auto&) { facts.capabilities = ISOTICK_HAS_MEMORY; }},
                      Fault{"describe_input or compose_input is missing",
                            [](
                                auto& facts,
                                auto&) { facts.capabilities = ISOTICK_DESCRIBES_INPUTS; }},
                      Fault{"describe_input or compose_input is missing",
                            [](auto& facts, auto& table) {
                                facts.capabilities = ISOTICK_DESCRIBES_INPUTS;
                                table.describe_input = [](const isotick_simulation_table*,
                                                          std::uint32_t, const std::uint8_t*,
                                                          std::uint64_t, const isotick_sink*,
                                                          isotick_message*) { return ISOTICK_OK; };
                            }},
                      Fault{"'user:'", [](auto& facts, auto&) { facts.hash_algorithm = "crc"; }}));

TEST(SimulationTable, NullIsRefused) {
    EXPECT_FALSE(check_table(nullptr));
}

TEST(SimulationTable, ALargerTableOfTheSameVersionIsAccepted) {
    isotick_info info = good_info();
    isotick_simulation_table table = good_table(info);
    table.struct_size += 64;
    EXPECT_TRUE(check_table(&table));
}

}  // namespace
}  // namespace isotick::core
