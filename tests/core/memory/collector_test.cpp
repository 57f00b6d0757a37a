// Summing up a visit, of whatever it shows.

#include "memory_support.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace isotick::core::core_tests {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::SizeIs;

// Calls a collector's visitor.
class Visit {
  public:
    explicit Visit(MemoryMapOptions options = {}) : collector_(options) {}

    std::int32_t begin(const char* type, std::uint64_t offset, std::uint64_t size) {
        return visitor_.begin_object(visitor_.context, type, memory_.data() + offset, size);
    }
    std::int32_t end() { return visitor_.end_object(visitor_.context); }
    std::int32_t value(const char* path, std::uint64_t offset, std::uint64_t size,
                       bool settable = true) {
        return visitor_.value(visitor_.context, path, memory_.data() + offset, size,
                              settable ? 1 : 0);
    }
    std::int32_t made_up(const char* path) {
        return visitor_.value(visitor_.context, path, nullptr, 4, 0);
    }
    Result<MemoryMap> finish() { return collector_.finish(); }
    isotick_memory_visitor& visitor() { return visitor_; }
    std::uint64_t offset_of(const std::byte* address) const {
        return static_cast<std::uint64_t>(address - memory_.data());
    }

  private:
    std::vector<std::byte> memory_{4096};
    MemoryCollector collector_;
    isotick_memory_visitor visitor_ = collector_.visitor();
};

std::vector<std::array<std::uint64_t, 3>> ranges(const MemoryType& type) {
    std::vector<std::array<std::uint64_t, 3>> ranges;
    for (const UnseenRange& range : type.unseen) {
        ranges.push_back({range.offset, range.size, range.objects});
    }
    return ranges;
}
using Range = std::array<std::uint64_t, 3>;

TEST(MemoryCollector, TakesValuesInAnyOrderAndOverOneAnother) {
    Visit visit;
    visit.begin("A", 0, 32);
    visit.value("c", 24, 4);
    visit.value("a", 0, 4);
    visit.value("ab", 2, 6);
    visit.value("a", 0, 4);
    visit.end();
    EXPECT_THAT(ranges(visit.finish().value().types[0]),
                ElementsAre(Range{8, 16, 1}, Range{28, 4, 1}));
}

TEST(MemoryCollector, TakesManyScatteredValues) {
    Visit visit;
    visit.begin("A", 0, 2048);
    for (std::uint64_t i = 0; i < 1024; ++i) {
        visit.value("v", (i * 7 % 1024) * 2, 1);
    }
    visit.end();
    EXPECT_THAT(ranges(visit.finish().value().types[0]), SizeIs(1024));
}

TEST(MemoryCollector, GivesAValueToTheInnermostObjectThatItLiesIn) {
    Visit visit;
    visit.begin("Outer", 0, 16);
    visit.begin("Inner", 4, 8);
    visit.value("inner", 4, 4);
    visit.value("outer", 12, 4);
    visit.end();
    visit.end();
    const auto map = visit.finish().value();
    EXPECT_THAT(ranges(map.types[0]), ElementsAre(Range{0, 4, 1}));
    EXPECT_THAT(ranges(map.types[1]), ElementsAre(Range{4, 4, 1}));
}

TEST(MemoryCollector, KeepsTypesOfOneNameApartBySize) {
    Visit visit;
    for (const std::uint64_t size : {8U, 16U, 8U}) {
        visit.begin("A", 0, size);
        visit.end();
    }
    const auto map = visit.finish().value();
    ASSERT_THAT(map.types, SizeIs(2));
    EXPECT_EQ(map.types[0].objects, 2U);
    EXPECT_EQ(map.types[1].size, 16U);
}

TEST(MemoryCollector, ReadsNamesAnewThoughTheyStandWhereAnotherStood) {
    Visit visit;
    std::array<char, 2> name{'a', '\0'};
    visit.value(name.data(), 0, 4);
    name[0] = 'b';
    visit.value(name.data(), 0, 4);
    EXPECT_THAT(settable_paths(visit.finish().value()), ElementsAre("a", "b"));
}

TEST(MemoryCollector, KeepsTheFirstTheLastAndSomeBetween) {
    for (std::uint64_t count = 1; count <= 300; ++count) {
        Visit visit({.samples = 4, .objects = 4});
        for (std::uint64_t i = 0; i < count; ++i) {
            visit.value("v", i, 1);
        }
        const auto samples = at(visit.finish().value(), "v").samples;
        ASSERT_THAT(samples, SizeIs(std::min<std::uint64_t>(count, 4)));
        EXPECT_EQ(visit.offset_of(samples.front().address), 0U);
        EXPECT_EQ(visit.offset_of(samples.back().address), count - 1);
        for (std::size_t i = 1; i < samples.size(); ++i) {
            EXPECT_LT(samples[i - 1].address, samples[i].address);
        }
    }
}

TEST(MemoryCollector, CountsRunsOfNumbersWithTheirBytes) {
    Visit visit;
    visit.value("v[*]", 0, 40);
    visit.value("v[*]", 40, 4);
    visit.made_up("v[*]");
    const auto path = at(visit.finish().value(), "v[*]");
    EXPECT_EQ(path.values, 3U);
    EXPECT_EQ(path.settable, 2U);
    EXPECT_EQ(path.bytes, 44U);
    EXPECT_EQ(path.made_up, 1U);
}

TEST(MemoryCollector, KnowsRangesOfMoreKindsOfObjectsThanItKeepsApart) {
    Visit visit;
    for (std::uint64_t i = 0; i < 100; ++i) {
        visit.begin("A", 0, 100);
        visit.value("v", i, 1);
        visit.end();
    }
    std::uint64_t unseen = 0;
    const auto map = visit.finish().value();
    for (const UnseenRange& range : map.types[0].unseen) {
        EXPECT_EQ(range.objects, 99U);
        EXPECT_LE(range.places.size(), 16U);
        unseen += range.size;
    }
    EXPECT_EQ(unseen, 100U);
}

struct BadVisit {
    const char* name;
    const char* message;
    std::function<std::int32_t(Visit&)> visit;
};
void PrintTo(const BadVisit& bad, std::ostream* out) {
    *out << bad.name;
}
class MemoryCollectorRefuses : public ::testing::TestWithParam<BadVisit> {};
INSTANTIATE_TEST_SUITE_P(
    Visits, MemoryCollectorRefuses,
    ::testing::Values(BadVisit{"an_end_without_a_beginning", "ends an object that it did not begin",
                               [](Visit& visit) { return visit.end(); }},
                      BadVisit{"no_path", "a value without a path",
                               [](Visit& visit) { return visit.value(nullptr, 0, 1); }},
                      BadVisit{"memory_beyond_all_addresses", "beyond the end of all addresses",
                               [](Visit& visit) { return visit.value("v", 0, UINT64_MAX); }},
                      BadVisit{"endless_nesting", "nested too deeply",
                               [](Visit& visit) {
                                   std::int32_t status = ISOTICK_OK;
                                   for (int i = 0; i <= 10'000; ++i) {
                                       status = visit.begin("A", 0, 8);
                                   }
                                   return status;
                               }},
                      BadVisit{"endless_types", "too many different types",
                               [](Visit& visit) {
                                   std::int32_t status = ISOTICK_OK;
                                   for (std::uint64_t i = 0; i <= 10'000; ++i) {
                                       status = visit.begin("A", 0, i % 4096 + 1);
                                       status = visit.begin(std::to_string(i).c_str(), 0, 1);
                                       visit.end();
                                       visit.end();
                                   }
                                   return status;
                               }},
                      BadVisit{"endless_paths", "too many different paths",
                               [](Visit& visit) {
                                   std::int32_t status = ISOTICK_OK;
                                   for (int i = 0; i <= 100'000; ++i) {
                                       status = visit.value(std::to_string(i).c_str(), 0, 1);
                                   }
                                   return status;
                               }}),
    [](const auto& param) { return std::string(param.param.name); });

TEST_P(MemoryCollectorRefuses, WithAReason) {
    Visit visit;
    EXPECT_EQ(GetParam().visit(visit), ISOTICK_FAILED);
    const auto map = visit.finish();
    ASSERT_FALSE(map);
    EXPECT_THAT(map.error().message, HasSubstr(GetParam().message));
}

TEST(MemoryCollector, RefusesAVisitThatEndsWithinAnObject) {
    Visit visit;
    visit.begin("A", 0, 8);
    EXPECT_FALSE(visit.finish());
}

}  // namespace
}  // namespace isotick::core::core_tests
