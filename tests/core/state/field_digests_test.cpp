#include "states.hpp"

#include <isotick/core/detail/field_selection.hpp>

#include <map>
#include <string>

#include <gtest/gtest.h>

namespace isotick::core {
namespace {

using namespace states;

template <class T>
struct Army {
    std::vector<T> units;
    std::map<std::string, int> scores;
    template <class Archive>
    void serialize(Archive& archive) {
        archive(CEREAL_NVP(units), CEREAL_NVP(scores));
    }
};

// The same fields in another order, and one more.
struct Later {
    Army<Unit> army;
    int weather = 3;
    template <class Archive>
    void serialize(Archive& archive) {
        archive(CEREAL_NVP(weather), cereal::make_nvp("scores", army.scores),
                cereal::make_nvp("units", army.units));
    }
};

Army<Unit> army() {
    return {std::vector<Unit>(3), {{"ann", 1}, {"bob", 2}}};
}

std::map<std::string, std::uint64_t> by_kind(const FieldDigests& digests) {
    std::map<std::string, std::uint64_t> found;
    for (std::size_t i = 0; i < digests.kinds(); ++i) {
        found[digests.kind(i)] = digests.digest(i);
    }
    return found;
}

template <class T>
std::map<std::string, std::uint64_t> digests_of(const T& state) {
    FieldDigests digests;
    EXPECT_TRUE(digests.take(fields_of(state)));
    return by_kind(digests);
}

// The kinds whose digests are not the same, of those that both have.
std::string differing(const std::map<std::string, std::uint64_t>& a,
                      const std::map<std::string, std::uint64_t>& b) {
    std::string kinds;
    for (const auto& [kind, digest] : a) {
        if (b.contains(kind) && b.at(kind) != digest) {
            kinds += kind + " ";
        }
    }
    return kinds;
}

TEST(FieldDigests, AreTheSameOfTheSameState) {
    EXPECT_EQ(digests_of(army()), digests_of(army()));
}

TEST(FieldDigests, DifferInTheKindOfTheFieldThatDiffers) {
    Army<Unit> other = army();
    other.units[1].velocity.y += 1;
    EXPECT_EQ(differing(digests_of(army()), digests_of(other)), "units[*].velocity.y ");
    other = army();
    other.scores["bob"] = 7;
    EXPECT_EQ(differing(digests_of(army()), digests_of(other)), "scores[*] ");
}

TEST(FieldDigests, SeeValuesThatChangePlaces) {
    Army<Unit> one = army();
    Army<Unit> other = army();
    one.units[0].velocity.x = 5;
    other.units[2].velocity.x = 5;
    EXPECT_EQ(differing(digests_of(one), digests_of(other)), "units[*].velocity.x ");
}

TEST(FieldDigests, SeeHowManyElementsThereAreAndUnderWhichKeys) {
    Army<Unit> other = army();
    other.units.pop_back();
    EXPECT_NE(differing(digests_of(army()), digests_of(other)).find("units "), std::string::npos);
    other = army();
    other.scores = {{"ann", 1}, {"eve", 2}};
    EXPECT_EQ(differing(digests_of(army()), digests_of(other)), "scores ");
}

TEST(FieldDigests, GoByNameAndNotByPlace) {
    const auto later = digests_of(Later{army()});
    EXPECT_EQ(differing(digests_of(army()), later), "");
    EXPECT_EQ(later.size(), digests_of(army()).size() + 1);
}

TEST(FieldDigests, ForgetTheStateBefore) {
    FieldDigests digests;
    ASSERT_TRUE(digests.take(fields_of(Later{army()})));
    ASSERT_TRUE(digests.take(fields_of(army())));
    auto kinds = by_kind(digests);
    EXPECT_EQ(kinds["weather"], 0U);
    kinds.erase("weather");
    EXPECT_EQ(kinds, digests_of(army()));
}

TEST(FieldDigests, OfABrokenStreamAreAnError) {
    auto fields = fields_of(army());
    fields.resize(fields.size() - 3);
    FieldDigests digests;
    const auto taken = digests.take(fields);
    ASSERT_FALSE(taken);
    EXPECT_EQ(taken.error().code, ErrorCode::damaged);
}

}  // namespace
}  // namespace isotick::core
