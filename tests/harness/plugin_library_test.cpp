// Shared libraries that are plug-ins, and those that are not.

#include "support/scratch_folder.hpp"

#include <isotick/harness/detail/simulation_catalog.hpp>

#include <array>
#include <fstream>
#include <ostream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace isotick::harness {
namespace {

using ::testing::HasSubstr;

struct Bad {
    const char* name;
    const char* path;
    const char* message;
};

void PrintTo(const Bad& bad, std::ostream* out) {
    *out << bad.name;
}

class BadPlugin : public ::testing::TestWithParam<Bad> {};

TEST_P(BadPlugin, IsRefusedWithTheFileAndTheReason) {
    const auto library = PluginLibrary::load(GetParam().path);
    ASSERT_FALSE(library);
    EXPECT_EQ(library.error().code, core::ErrorCode::usage);
    EXPECT_EQ(library.error().file, GetParam().path);
    EXPECT_THAT(library.error().message, HasSubstr(GetParam().message));
}

INSTANTIATE_TEST_SUITE_P(PluginLibrary, BadPlugin,
                         ::testing::Values(Bad{"MissingSymbol", ISOTICK_BAD_SYMBOL,
                                               "exports no function"},
                                           Bad{"NullTable", ISOTICK_BAD_NULL, "it is null"},
                                           Bad{"NullMember", ISOTICK_BAD_HASH, "hash is null"},
                                           Bad{"NewerTable", ISOTICK_BAD_NEWER, "abi_version 2"},
                                           Bad{"NoFile", "./nowhere.so", "no such shared library"},
                                           Bad{"Folder", "/tmp", "this is not"}),
                         [](const auto& bad) { return bad.param.name; });

// The head of an ELF file for another processor (AArch64).
void write_foreign_library(const std::string& path) {
    std::array<char, 64> head{0x7f, 'E', 'L', 'F', 2, 1, 1};
    head[16] = 3;
    head[18] = static_cast<char>(0xb7);
    head[20] = 1;
    head[52] = 64;
    std::ofstream(path, std::ios::binary).write(head.data(), head.size());
}

TEST(PluginLibrary, OfAnotherArchitectureIsRefused) {
    const tests::ScratchFolder folder;
    const std::string path = folder.file("foreign.so");
    write_foreign_library(path);
    const auto library = PluginLibrary::load(path);
    ASSERT_FALSE(library);
    EXPECT_THAT(library.error().message, HasSubstr("cannot be loaded"));
}

TEST(PluginLibrary, GivesTheTableItExports) {
    const auto library = PluginLibrary::load(ISOTICK_FAULTY);
    ASSERT_TRUE(library) << describe(library.error());
    EXPECT_STREQ(library->table().info->name, "faulty");
}

TEST(SimulationCatalog, AnUnknownNameListsTheNamesThereAre) {
    const auto library = PluginLibrary::load(ISOTICK_FAULTY);
    ASSERT_TRUE(library);
    SimulationCatalog catalog({&library->table()});
    EXPECT_TRUE(catalog.open(SimulationName::chosen("faulty")));
    const auto unknown = catalog.open(SimulationName::chosen("fualty"));
    ASSERT_FALSE(unknown);
    EXPECT_THAT(unknown.error().message, HasSubstr("built in are faulty"));
}

TEST(SimulationCatalog, AFileNamesBuiltInsAlone) {
    const auto library = PluginLibrary::load(ISOTICK_FAULTY);
    ASSERT_TRUE(library);
    SimulationCatalog catalog({&library->table()});
    EXPECT_TRUE(catalog.open(SimulationName::recorded("faulty")));
    const tests::ScratchFolder folder;
    const std::string trace = folder.file("trace");
    for (const std::string& name :
         {std::string(ISOTICK_FAULTY), "exec:touch " + trace, std::string("fualty")}) {
        const auto refused = catalog.open(SimulationName::recorded(name));
        ASSERT_FALSE(refused) << name;
        EXPECT_EQ(refused.error().code, core::ErrorCode::usage);
        EXPECT_THAT(refused.error().message,
                    AllOf(HasSubstr("'" + name + "'"), HasSubstr("built in are only faulty"),
                          HasSubstr("name a simulation that you trust, --sim ./PLUGIN.so")));
    }
    EXPECT_FALSE(std::filesystem::exists(trace));
}

}  // namespace
}  // namespace isotick::harness
