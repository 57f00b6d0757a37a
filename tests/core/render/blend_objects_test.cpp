#include <isotick/core/blend.hpp>

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace isotick::core {
namespace {

struct Bullet {
    int id;
    double x;
};

int id_of(const Bullet& bullet) {
    return bullet.id;
}

std::vector<std::string> shown(const std::vector<Bullet>& previous,
                               const std::vector<Bullet>& current) {
    std::vector<std::string> texts;
    for_each_shown(previous, current, id_of, [&texts](const Bullet* before, const Bullet& now) {
        texts.push_back((before ? std::to_string(before->id) + ">" : "new ") +
                        std::to_string(now.id));
    });
    return texts;
}

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(ShownObjects, AreThoseOfTheCurrentState) {
    EXPECT_THAT(shown({{1, 0}, {2, 0}}, {{1, 1}, {2, 1}}), ElementsAre("1>1", "2>2"));
}

TEST(ShownObjects, HaveNothingBeforeThemWhenJustCreated) {
    EXPECT_THAT(shown({{2, 0}}, {{1, 1}, {2, 1}, {3, 1}}), ElementsAre("new 1", "2>2", "new 3"));
}

TEST(ShownObjects, AreGoneWithTheirDeletion) {
    EXPECT_THAT(shown({{1, 0}, {2, 0}, {3, 0}}, {{2, 1}}), ElementsAre("2>2"));
    EXPECT_THAT(shown({{1, 0}}, {}), IsEmpty());
}

TEST(ShownObjects, CanFadeWhenTheyAreGone) {
    const std::vector<Bullet> previous{{1, 0}, {2, 0}, {4, 0}};
    const std::vector<Bullet> current{{2, 1}, {3, 1}};
    std::vector<int> gone;
    for_each_shown(
        previous, current, id_of, [](const Bullet*, const Bullet&) {},
        [&gone](const Bullet& bullet) { gone.push_back(bullet.id); });
    EXPECT_THAT(gone, ElementsAre(1, 4));
}

TEST(BlendExtrapolated, IsExtrapolationWhereNothingChangesItsVelocity) {
    for (const double alpha : {0.0, 0.25, 0.5, 0.75}) {
        EXPECT_EQ(blend_extrapolated(1.0, 2.0, 3.0, alpha), extrapolate(2.0, 3.0, alpha));
    }
}

// At a bounce plain extrapolation jumps from one guess to the next; two blended guesses do not.
TEST(BlendExtrapolated, DoesNotJumpFromTickToTick) {
    const std::vector<double> positions{0, 1, 2, 1, 0};
    for (std::size_t i = 2; i + 1 < positions.size(); ++i) {
        const double end =
            blend_extrapolated(positions[i - 2], positions[i - 1], positions[i], 1.0);
        const double begin =
            blend_extrapolated(positions[i - 1], positions[i], positions[i + 1], 0.0);
        EXPECT_EQ(end, begin);
    }
    EXPECT_NE(extrapolate(positions[1], positions[2], 1.0), positions[3]);
}

}  // namespace
}  // namespace isotick::core
