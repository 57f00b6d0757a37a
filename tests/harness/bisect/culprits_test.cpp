// Finding the members of a set that make a difference, with few mixtures.

#include "bisect/culprits.hpp"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <numeric>
#include <random>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace isotick::harness::bisect {
namespace {

bool contains(const Members& all, const Members& some) {
    return std::ranges::includes(all, some);
}

/// A build of which some sets of units make a difference, and some mixtures cannot be judged.
struct FakeBuild {
    std::size_t units = 200;
    std::vector<Members> guilty{};
    Members bound{};  ///< a mixture with some of these, and not all, crashes
    std::set<Members> asked{};
    std::size_t links = 2;  // both ends, which are checked before

    Effect effect_of(const Members& members) const {
        const auto is_other = [&](std::size_t unit) {
            return std::ranges::binary_search(members, unit);
        };
        if (std::ranges::any_of(bound, is_other) && !std::ranges::all_of(bound, is_other)) {
            return Effect::unknown;
        }
        return std::ranges::any_of(guilty,
                                   [&](const Members& some) { return contains(members, some); })
                   ? Effect::differs
                   : Effect::none;
    }

    Culprits find() {
        const auto found = find_culprits(units, [this](const Members& members) {
            EXPECT_TRUE(asked.insert(members).second) << "asked for a mixture twice";
            ++links;
            return core::Result<Effect>(effect_of(members));
        });
        EXPECT_TRUE(found);
        return found.value_or(Culprits());
    }
};

TEST(Culprits, FindsTheOnlyOne) {
    for (std::size_t unit = 0; unit < 200; ++unit) {
        FakeBuild build{200, {{unit}}};
        EXPECT_EQ(build.find().found, build.guilty);
        EXPECT_LE(build.links, 14U);
    }
}

TEST(Culprits, FindsAnyTwoOfTwoHundredWithFewLinks) {
    std::size_t most = 0;
    for (std::size_t a = 0; a < 200; ++a) {
        for (std::size_t b = a + 1; b < 200; ++b) {
            FakeBuild build{200, {{a}, {b}}};
            ASSERT_EQ(build.find().found, build.guilty) << a << " and " << b;
            most = std::max(most, build.links);
        }
    }
    EXPECT_LE(most, 24U);  // of 40 that are allowed, one of which holds both together
}

TEST(Culprits, FindsTheOnlyUnitThereIs) {
    FakeBuild build{1, {{0}}};
    EXPECT_EQ(build.find().found, build.guilty);
    EXPECT_EQ(build.links, 2U);
}

// Sets of `count` of `units`: together, spread, and by chance.
std::vector<Members> some_of(std::size_t units, std::size_t count, std::mt19937& chance) {
    constexpr int kByChance = 50;
    Members all(units);
    std::iota(all.begin(), all.end(), std::size_t{0});
    std::vector<Members> sets{{all.begin(), all.begin() + static_cast<std::ptrdiff_t>(count)},
                              {all.end() - static_cast<std::ptrdiff_t>(count), all.end()},
                              {}};
    for (std::size_t i = 0; i < count; ++i) {
        sets.back().push_back(i * units / count);
    }
    for (int i = 0; i < kByChance; ++i) {
        std::ranges::sample(all, std::back_inserter(sets.emplace_back()),
                            static_cast<std::ptrdiff_t>(count), chance);
    }
    return sets;
}

TEST(Culprits, TakesFewLinksForAFewAndNotManyMoreThanUnitsForMany) {
    std::mt19937 chance(1);  // NOLINT(cert-msc51-cpp): the same sets in every run
    for (std::size_t count = 1; count <= 32; ++count) {
        std::size_t most = 0;
        for (const Members& guilty : some_of(32, count, chance)) {
            FakeBuild build{32};
            for (const std::size_t unit : guilty) {
                build.guilty.push_back({unit});
            }
            ASSERT_EQ(build.find().found, build.guilty);
            most = std::max(most, build.links);
        }
        EXPECT_LE(most, std::min<std::size_t>(2 + 10 * count, 32 + 18)) << count << " guilty";
        RecordProperty("guilty_" + std::to_string(count), static_cast<int>(most));
    }
}

TEST(Culprits, FindsAllWhereAllAreGuilty) {
    for (const std::size_t units : {2U, 3U, 9U, 200U}) {
        FakeBuild build{units};
        for (std::size_t unit = 0; unit < units; ++unit) {
            build.guilty.push_back({unit});
        }
        EXPECT_EQ(build.find().found, build.guilty);
        EXPECT_LE(build.links, units + 24) << units;
    }
}

TEST(Culprits, FindsThoseThatOnlyDifferTogether) {
    for (std::size_t b = 1; b < 64; ++b) {
        FakeBuild build{64, {{0, b}}};
        EXPECT_EQ(build.find().found, build.guilty) << b;
    }
    FakeBuild build{64, {{3, 17, 60}}};
    EXPECT_EQ(build.find().found, build.guilty);
}

TEST(Culprits, FindsThoseThatOnlyDifferTogetherBesidesOneThatDiffersAlone) {
    FakeBuild build{64, {{3, 60}, {20}}};
    EXPECT_EQ(build.find().found, build.guilty);
}

TEST(Culprits, GetsByMixturesThatCannotBeJudged) {
    const std::vector<Members> both{{4, 13}};
    for (std::size_t guilty = 0; guilty < 20; ++guilty) {
        FakeBuild build{20, {{guilty}}, {4, 13}};
        const Culprits found = build.find();
        const bool is_bound = guilty == 4 || guilty == 13;
        EXPECT_EQ(found.found, is_bound ? both : build.guilty) << guilty;
        EXPECT_FALSE(found.rest_unknown);
    }
}

TEST(Culprits, SaysThatTheRestCannotBeJudged) {
    const auto found = find_culprits(4, [](const Members& members) {
        return core::Result<Effect>(
            members == Members{0} || members == Members{0, 1} ? Effect::differs : Effect::unknown);
    });
    ASSERT_TRUE(found);
    EXPECT_EQ(found->found, (std::vector<Members>{{0}}));
    EXPECT_TRUE(found->rest_unknown);
}

TEST(Culprits, PassesFailuresOn) {
    const auto found = find_culprits(4, [](const Members&) -> core::Result<Effect> {
        return core::fail(core::ErrorCode::io, "no space");
    });
    ASSERT_FALSE(found);
    EXPECT_EQ(found.error().message, "no space");
}

}  // namespace
}  // namespace isotick::harness::bisect
