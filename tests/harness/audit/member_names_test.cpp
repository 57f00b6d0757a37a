// Compiled with debug information in every build: the types here are looked up in it.

#include "audit/member_names.hpp"

#include "piles/piles.hpp"
#include "undocumented.hpp"

#include <isotick/core/detail/memory_map.hpp>
#include <isotick/core/detail/memory_visit.hpp>
#include <isotick/core/detail/reference.hpp>
#include <isotick/harness/detail/simulation_catalog.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace isotick::harness::testing {

// Compilers and demanglers spell its argument in their own ways: `'a'` and `(char)97`.
template <char kLabel>
struct Shelf {
    std::uint32_t height_ = 0;
    template <class Archive>
    void serialize(Archive&) {}
};

namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::Field;
using ::testing::IsEmpty;

struct Vec2 {
    float x = 0;
    float y = 0;
};
struct Body {
    std::uint8_t kind = 0;
    Vec2 position;
    std::vector<int> contacts;
    template <class Archive>
    void serialize(Archive& archive) {
        archive(kind);
    }
};
struct Drawn {
    float x;
    float y;
};
struct Ball : Body {
    struct Compare {
    } compare;
    Vec2 velocities[3];
    std::uint32_t low : 3 = 1;
    std::uint32_t high : 12 = 2;
    union {
        std::uint64_t word = 0;
        Drawn drawn;
    };
    template <class Archive>
    void serialize(Archive&) {}
};
struct Actor {
    virtual ~Actor() = default;
    std::uint32_t id = 0;
    template <class Archive>
    void serialize(Archive&) {}
};
enum class Mode : std::uint8_t { fast, slow };
template <Mode kMode, class T, unsigned long kSize>
struct Pool {
    std::array<T, kSize> items_{};
    bool used_ = kMode == Mode::fast;
    template <class Archive>
    void serialize(Archive&) {}
};
class Owner {
  public:
    class Secret;

  private:
    std::unique_ptr<Secret> secret_;
};
class Owner::Secret {
  public:
    std::uint64_t value_ = 0;
};

// What stands in `type`, of the size of T; what is in no type is another failure than nothing.
template <class T>
std::vector<std::string> names(MemberNames& members, ObjectRange range,
                               const char* type = core::detail::type_name<T>()) {
    const auto found = members.members_at(type, sizeof(T), range);
    if (!found) {
        return {"(unknown)"};
    }
    std::vector<std::string> paths;
    for (const NamedMember& member : *found) {
        paths.push_back(member.path);
    }
    return paths;
}

// The type of `object`, as a visit names it.
template <class T>
std::string visited(const T& object) {
    core::MemoryCollector collector;
    core::visit_memory(object, collector.visitor());
    return collector.finish().value().types.at(0).name;
}

class MemberNamesTest : public ::testing::Test {
  protected:
    void SetUp() override {
        if (names<Body>(members, {0, 1}) == std::vector<std::string>{"(unknown)"}) {
            ASSERT_FALSE(ISOTICK_HAS_LIBDW) << "there is debug information, but nobody finds it";
            GTEST_SKIP() << "built without libdw";
        }
    }

    MemberNames members;
    Ball ball;
    Actor actor;  // types without objects have no debug information
    std::uint64_t offset_of(const void* member) const {
        return static_cast<std::uint64_t>(static_cast<const std::byte*>(member) -
                                          reinterpret_cast<const std::byte*>(&ball));
    }
};

TEST_F(MemberNamesTest, NamesWhatARangeHolds) {
    const auto found = members.members_at(core::detail::type_name<Body>(), sizeof(Body),
                                          {offsetof(Body, position), sizeof(Vec2) + 5});
    ASSERT_TRUE(found);
    EXPECT_THAT(*found, ElementsAre(AllOf(Field(&NamedMember::path, "position"),
                                          Field(&NamedMember::offset, offsetof(Body, position)),
                                          Field(&NamedMember::size, sizeof(Vec2)),
                                          Field(&NamedMember::plain, true)),
                                    AllOf(Field(&NamedMember::path, "contacts"),
                                          Field(&NamedMember::plain, false))));
}

TEST_F(MemberNamesTest, TellsPaddingApart) {
    EXPECT_THAT(names<Body>(members, {1, 3}), IsEmpty());
    EXPECT_THAT(names<Body>(members, {1, 4}), ElementsAre("position.x"));
}

TEST_F(MemberNamesTest, LooksIntoMembersThatAreHalfInTheRange) {
    EXPECT_THAT(names<Body>(members, {offsetof(Body, position) + 4, 4}), ElementsAre("position.y"));
}

TEST_F(MemberNamesTest, LooksIntoBasesArraysBitFieldsAndUnions) {
    EXPECT_THAT(names<Ball>(members, {offset_of(&ball.position), sizeof(Vec2)}),
                ElementsAre("Body::position"));
    EXPECT_THAT(names<Ball>(members, {offset_of(&ball.velocities), sizeof ball.velocities}),
                ElementsAre("velocities"));
    EXPECT_THAT(names<Ball>(members, {offset_of(&ball.velocities[1].y), 12}),
                ElementsAre("velocities[1].y", "velocities[2]"));
    const std::uint64_t bits = offset_of(&ball.velocities[3]);
    EXPECT_THAT(names<Ball>(members, {bits, 1}), ElementsAre("low", "high"));
    EXPECT_THAT(names<Ball>(members, {bits + 1, 1}), ElementsAre("high"));
    EXPECT_THAT(names<Ball>(members, {offset_of(&ball.word), 4}), ElementsAre("word", "drawn.x"));
}

TEST_F(MemberNamesTest, AMemberWithoutMembersOfItsOwnIsPadding) {
    EXPECT_THAT(names<Ball>(members, {offset_of(&ball.compare), 1}), IsEmpty());
}

TEST_F(MemberNamesTest, VtablePointersAreNobodysMembers) {
    EXPECT_THAT(names<Actor>(members, {0, sizeof(void*)}), IsEmpty());
    EXPECT_THAT(names<Actor>(members, {0, sizeof(Actor)}), ElementsAre("id"));
}

TEST_F(MemberNamesTest, KnowsBasesThatAreShorterThanTheirType) {
    const auto found = members.members_at(core::detail::type_name<Actor>(), 12, {8, 4});
    ASSERT_TRUE(found);
    EXPECT_EQ(summary(*found), "id");
}

TEST_F(MemberNamesTest, KnowsTemplatesByTheNamesThatVisitsGiveThem) {
    using Numbers = Pool<Mode::slow, long, 4>;
    EXPECT_THAT(names<Numbers>(members, {4 * sizeof(long), 1}, visited(Numbers()).c_str()),
                ElementsAre("used_"));
    EXPECT_THAT(names<Shelf<'a'>>(members, {0, 4}, visited(Shelf<'a'>()).c_str()),
                ElementsAre("height_"));
}

TEST_F(MemberNamesTest, KnowsClassesThatAreDefinedOutsideOfTheirScope) {
    EXPECT_THAT(names<Owner::Secret>(members, {0, 8}), ElementsAre("value_"));
    EXPECT_THAT(names<Owner>(members, {0, 8}), ElementsAre("secret_"));
}

TEST_F(MemberNamesTest, KnowsStructsOfCByTheirTypedefs) {
    const auto path = [&](const char* type, std::uint64_t size, ObjectRange range) {
        const auto found = members.members_at(type, size, range);
        return found ? summary(*found) : "(unknown)";
    };
    EXPECT_EQ(path("ThrownAway", 16, {8, 8}), "forgotten");
    EXPECT_EQ(path("Tagged", 8, {4, 4}), "second");
    EXPECT_EQ(path("struct tagged", 8, {0, 4}), "first");
}

TEST_F(MemberNamesTest, KnowsNothingOfWhatHasNoDebugInformation) {
    EXPECT_FALSE(members.members_at(undocumented_type(), undocumented_size(), {0, 4}));
    EXPECT_FALSE(members.members_at("no::such::Type", 4, {0, 4}));
    EXPECT_FALSE(members.members_at("", 0, {0, 0}));
}

TEST_F(MemberNamesTest, TakesRangesOutsideOfTheType) {
    EXPECT_THAT(names<Body>(members, {sizeof(Body), 100}), IsEmpty());
    EXPECT_THAT(names<Body>(members, {UINT64_MAX - 1, 8}), IsEmpty());
    EXPECT_THAT(names<Body>(members, {1, UINT64_MAX}), ElementsAre("position", "contacts"));
}

// All that nothing sees in the root object of a simulation.
std::vector<std::string> hidden_in(MemberNames& members, const isotick_simulation_table& table) {
    core::SimulationSetup setup;
    setup.players = table.info->usual_players;
    auto simulation = core::Simulation::create(table, setup).value();
    const core::MemoryMap map = core::map_memory(simulation).value();
    const core::MemoryType& root = map.types.at(0);
    std::vector<std::string> paths;
    for (const core::UnseenRange& range : root.unseen) {
        const auto found = members.members_at(root.name, root.size, {range.offset, range.size});
        for (const NamedMember& member : found.value_or(std::vector<NamedMember>())) {
            paths.push_back(member.path);
        }
    }
    return paths;
}

TEST_F(MemberNamesTest, NamesWhatThePlantedFaultsForget) {
    const auto hidden_in = [this](const char* name) {
        return testing::hidden_in(members, *core::find_simulation(name));
    };
    EXPECT_THAT(hidden_in("fault:missing"), Contains("slow_ticks_"));
    EXPECT_THAT(hidden_in("fault:missing-from-save"),
                AllOf(Contains("Pile::drops_"), ::testing::Not(Contains("slow_ticks_"))));
    EXPECT_THAT(hidden_in("fault:stale-cache"), Contains("middle_"));
    EXPECT_THAT(hidden_in("skirmish"), Contains("grid_"));
    EXPECT_THAT(hidden_in("spring"), Contains("drawn_position_"));
}

TEST_F(MemberNamesTest, KnowsPluginsThatAreLoaded) {
    const PluginLibrary plugin = PluginLibrary::load(ISOTICK_HIDING).value();
    MemberNames later;
    EXPECT_THAT(hidden_in(later, plugin.table()), ElementsAre("forgotten_"));
}

TEST_F(MemberNamesTest, ThePaddingThatIsHashedByHandIsPadding) {
    const auto found =
        members.members_at("isotick::core::reference::PaddingPile::LastDrop", 16, {1, 7});
    ASSERT_TRUE(found);
    EXPECT_EQ(summary(*found), "");
}

TEST(MemberSummary, IsTheFirstAndTheLast) {
    const NamedMember a{"a", 0, 4, true};
    const NamedMember b{"b", 4, 4, true};
    EXPECT_EQ(summary({}), "");
    EXPECT_EQ(summary({a}), "a");
    EXPECT_EQ(summary({a, a, b}), "a … b");
}

}  // namespace
}  // namespace isotick::harness::testing
