#include "states.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace isotick::core {
namespace {

using namespace states;

struct World {
    std::vector<Unit> units;
    std::map<std::string, std::int64_t> scores;
    std::optional<Vec2> goal;
    std::variant<int, Vec2> mode;
    std::unique_ptr<Node> chain;
    double grid[3] = {};
    std::vector<bool> flags;
    template <class Archive>
    void serialize(Archive& archive) {
        archive(CEREAL_NVP(units), CEREAL_NVP(scores), CEREAL_NVP(goal), CEREAL_NVP(mode),
                CEREAL_NVP(chain), CEREAL_NVP(grid), CEREAL_NVP(flags));
    }
};

TEST(Shape, NamesEveryValueThatSerializeVisitsWithItsType) {
    EXPECT_EQ(shape_of(World{}).text,
              "units[].id u32\n"
              "units[].velocity.x f32\n"
              "units[].velocity.y f32\n"
              "units[].stunned bool\n"
              "units[].mood u8\n"
              "scores[key] text\n"
              "scores[] i64\n"
              "goal?.x f32\n"
              "goal?.y f32\n"
              "mode<0> i32\n"
              "mode<1>.x f32\n"
              "mode<1>.y f32\n"
              "chain?.value i32\n"
              "chain?.next? recursive\n"
              "grid f64[]\n"
              "flags bool[]\n");
}

TEST(Shape, DoesNotDependOnWhatContainersHold) {
    World world;
    world.units.resize(3);
    world.scores["ann"] = 1;
    world.goal.emplace();
    world.mode = Vec2{};
    world.chain = chain(5);
    world.flags.resize(9);
    EXPECT_EQ(shape_of(world).text, shape_of(World{}).text);
    EXPECT_EQ(shape_of(world).fingerprint, shape_of(World{}).fingerprint);
}

// One state as three builds might have it.
struct Older {
    std::vector<Vec2> units;
    std::int32_t round = 0;
    template <class Archive>
    void serialize(Archive& archive) {
        archive(CEREAL_NVP(units), CEREAL_NVP(round));
    }
};
struct UnitWithMore : Vec2 {
    bool stunned = false;
    template <class Archive>
    void serialize(Archive& archive) {
        archive(CEREAL_NVP(x), CEREAL_NVP(y), CEREAL_NVP(stunned));
    }
};
struct Newer {
    std::vector<UnitWithMore> units;
    float round = 0;
    template <class Archive>
    void serialize(Archive& archive) {
        archive(CEREAL_NVP(units), CEREAL_NVP(round));
    }
};
struct Turned : Older {
    template <class Archive>
    void serialize(Archive& archive) {
        archive(CEREAL_NVP(round), CEREAL_NVP(units));
    }
};

TEST(Shape, ASnapshotOfAnotherBuildIsRefusedWithWhatChanged) {
    Newer newer;
    EXPECT_EQ(thrown_by([&] { load(newer, saved(Older{})); }),
              "the snapshot is of another build: member `round` was i32, is f32; "
              "member `units[].stunned` is new in this build");
    Older older;
    EXPECT_EQ(thrown_by([&] { load(older, saved(Newer{})); }),
              "the snapshot is of another build: member `round` was f32, is i32; "
              "member `units[].stunned` is gone in this build");
    Turned turned;
    EXPECT_EQ(thrown_by([&] { load(turned, saved(Older{})); }),
              "the snapshot is of another build: its members come in another order");
}

TEST(Shape, AChangedByteInTheHeadIsNoticed) {
    Older state;
    const Bytes good = saved(state);
    const std::size_t head = good.size() - 12;
    for (std::size_t i = 0; i < head; ++i) {
        Bytes bad = good;
        bad[i] ^= std::byte{4};
        EXPECT_NE(thrown_by([&] { load(state, bad); }), "") << i;
    }
}

TEST(Shape, BytesLeftOverAreRefused) {
    Older state;
    Bytes bytes = saved(state);
    bytes.push_back(std::byte{0});
    EXPECT_EQ(thrown_by([&] { load(state, bytes); }), "1 extra bytes after the state");
}

}  // namespace
}  // namespace isotick::core
