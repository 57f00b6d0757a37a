// Inputs as JSON through their own serialize.

#include <isotick/core/adapter.hpp>
#include <isotick/core/detail/described_input.hpp>

#include <limits>

#include <cereal/types/array.hpp>
#include <cereal/types/vector.hpp>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace isotick::core {
namespace {

using ::testing::HasSubstr;

enum class Gear : std::uint8_t { neutral = 0, first = 1 };

const char* isotick_enum_name(Gear gear) {
    return gear == Gear::neutral ? "neutral" : gear == Gear::first ? "first" : "";
}

struct Touch {
    std::uint16_t x = 7;
    float pressure = 0;

    template <class Archive>
    void serialize(Archive& archive) {
        archive(CEREAL_NVP(x), CEREAL_NVP(pressure));
    }
};

struct Pad {
    Gear gear = Gear::neutral;
    std::int8_t stick = 0;
    bool fire = false;
    std::vector<Touch> touches;
    std::array<std::int16_t, 2> view{};
    std::uint64_t id = 0;

    template <class Archive>
    void serialize(Archive& archive) {
        archive(CEREAL_NVP(gear), CEREAL_NVP(stick), CEREAL_NVP(fire), CEREAL_NVP(touches),
                CEREAL_NVP(view), CEREAL_NVP(id));
    }
};

Pad some_pad() {
    Pad pad;
    pad.gear = Gear::first;
    pad.stick = -128;
    pad.fire = true;
    pad.touches = {{1, 0.1F}, {65535, -0.0F}};
    pad.view = {-3, 4};
    pad.id = UINT64_MAX;
    return pad;
}

std::string why_not(const char* json) {
    try {
        (void)from_json<Pad>(json);
    } catch (const std::exception& thrown) {
        return thrown.what();
    }
    return "";
}

TEST(InputText, NamesFieldsAndEnumerators) {
    EXPECT_EQ(to_json(some_pad()),
              R"({"gear":"first","stick":-128,"fire":true,"touches":[{"x":1,"pressure":0.1},)"
              R"({"x":65535,"pressure":-0}],"view":[-3,4],"id":18446744073709551615})");
}

TEST(InputText, ReadsBackToTheSameBytes) {
    const auto bytes = write_input(some_pad());
    EXPECT_EQ(write_input(from_json<Pad>(to_json(read_input<Pad>(bytes)))), bytes);
}

TEST(InputText, EnumeratorsWithoutNameAreNumbers) {
    Pad pad;
    pad.gear = static_cast<Gear>(9);
    EXPECT_THAT(to_json(pad), HasSubstr(R"("gear":9)"));
    EXPECT_EQ(from_json<Pad>(R"({"gear":9})").gear, pad.gear);
}

TEST(InputText, MembersMayStandInAnyOrderOrBeLeftOut) {
    const Pad pad = from_json<Pad>(R"({"stick":5,"gear":"first","touches":[{}]})");
    EXPECT_EQ(pad.stick, 5);
    EXPECT_EQ(pad.gear, Gear::first);
    EXPECT_FALSE(pad.fire);
    ASSERT_EQ(pad.touches.size(), 1U);
    EXPECT_EQ(pad.touches[0].x, 7);
}

TEST(InputText, RefusesNonsenseWithThePathToIt) {
    EXPECT_EQ(why_not(R"({"stik":1})"), "\"stik\" is unknown");
    EXPECT_EQ(why_not(R"({"stick":128})"), "stick: 128 is not a whole number from -128 to 127");
    EXPECT_EQ(why_not(R"({"stick":1.5})"), "stick: 1.5 is not a whole number from -128 to 127");
    EXPECT_EQ(why_not(R"({"stick":"1"})"),
              "stick: a string is not a whole number from -128 to 127");
    EXPECT_EQ(why_not(R"({"gear":"third"})"), "gear: there is no 'third'");
    EXPECT_EQ(why_not(R"({"gear":""})"), "gear: there is no ''");
    EXPECT_EQ(why_not(R"({"fire":1})"), "fire: a number where true or false is wanted");
    EXPECT_EQ(why_not(R"({"touches":[{},{"x":65536}]})"),
              "touches[1].x: 65536 is not a whole number from 0 to 65535");
    EXPECT_EQ(why_not(R"({"touches":[{"pressure":1e39}]})"),
              "touches[0].pressure: 1e39 is out of range");
    EXPECT_EQ(why_not(R"({"touches":{}})"), "touches: an object where an array is wanted");
    EXPECT_EQ(why_not(R"({"touches":[3]})"), "touches[0]: a number where an object is wanted");
    EXPECT_THAT(why_not(R"({"view":[1]})"), HasSubstr("view"));
    EXPECT_THAT(why_not(R"({"view":[1,2,3]})"), HasSubstr("only 2 are wanted"));
    EXPECT_EQ(why_not("[]"), "an array where an object is wanted");
    EXPECT_THAT(why_not("{"), HasSubstr("at byte 1"));
}

TEST(InputText, SaysNothingThatJsonCannotSay) {
    EXPECT_THROW((void)to_json(Touch{0, std::numeric_limits<float>::quiet_NaN()}),
                 std::runtime_error);
    EXPECT_THROW((void)to_json(std::string("\xff")), std::runtime_error);
}

TEST(InputText, BytesThatAreNoInputAreRefused) {
    auto bytes = write_input(some_pad());
    bytes.push_back(0);
    EXPECT_THROW((void)read_input<Pad>(bytes), std::runtime_error);
    bytes.resize(bytes.size() - 2);
    EXPECT_THROW((void)read_input<Pad>(bytes), std::runtime_error);
}

struct Driven {
    static constexpr SimulationInfo kInfo{.name = "driven", .most_players = 2};
    using Input = Pad;
    void step(const Step&) {}
    template <class Archive>
    void serialize(Archive& archive) {
        archive(CEREAL_NVP(value));
    }
    int value = 0;
};

TEST(InputText, AnInputTypeIsAllThatTheAdapterNeeds) {
    const auto& table = simulation_table<Driven>();
    ASSERT_TRUE(check_table(&table));
    ASSERT_TRUE(describes_inputs(table));
    const auto bytes = write_input(some_pad());
    EXPECT_EQ(describe_input(table, 0, bytes).value(), to_json(some_pad()));
    EXPECT_EQ(compose_input(table, 1, to_json(some_pad())).value(), bytes);
    const auto world = describe_input(table, ISOTICK_WORLD, bytes);
    ASSERT_FALSE(world);
    EXPECT_THAT(world.error().message, HasSubstr("write hex"));
}

}  // namespace
}  // namespace isotick::core
