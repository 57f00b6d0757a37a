#include "reference/skirmish/skirmish.hpp"
#include "reference/skirmish/skirmish_units.hpp"

#include <isotick/core/random.hpp>

#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

namespace isotick::core::reference {
namespace {

constexpr std::uint32_t kColumns = 10;
constexpr float kReach = 6.0F;

// Units all over the world of kColumns columns, and some outside.
Units scattered_units(std::size_t count) {
    Units units;
    Pcg32 random(3);
    for (std::size_t i = 0; i < count; ++i) {
        units.id.push_back(static_cast<std::uint32_t>(i));
        units.owner.push_back(static_cast<std::uint8_t>(i % 3));
        const float x = random.unit_float() * 44.0F - 2.0F;
        units.position_x.push_back(x);
        units.position_y.push_back(random.unit_float() * 44.0F - 2.0F);
    }
    return units;
}

TEST(UnitGrid, FindsEveryUnitInReach) {
    const Units units = scattered_units(300);
    UnitGrid grid;
    grid.build(units, kColumns);
    for (std::size_t self = 0; self < units.size(); ++self) {
        std::vector<std::uint32_t> found;
        grid.visit_near(units.position_x[self], units.position_y[self], kReach,
                        [&](const UnitGrid::Entry& entry) { found.push_back(entry.unit); });
        for (std::uint32_t other = 0; other < units.size(); ++other) {
            const float x = std::abs(units.position_x[other] - units.position_x[self]);
            const float y = std::abs(units.position_y[other] - units.position_y[self]);
            if (x <= kReach && y <= kReach) {
                EXPECT_EQ(std::count(found.begin(), found.end(), other), 1);
            }
        }
    }
}

TEST(UnitGrid, KeepsTheOrderOfUnitsWithinACell) {
    Units units = scattered_units(50);
    std::fill(units.position_x.begin(), units.position_x.end(), 17.0F);
    std::fill(units.position_y.begin(), units.position_y.end(), 17.0F);
    UnitGrid grid;
    grid.build(units, kColumns);
    std::vector<std::uint32_t> found;
    grid.visit_near(17.0F, 17.0F, 0.5F,
                    [&](const UnitGrid::Entry& entry) { found.push_back(entry.unit); });
    ASSERT_EQ(found.size(), 50U);
    EXPECT_TRUE(std::is_sorted(found.begin(), found.end()));
}

TEST(UnitGrid, EntriesCarryTheUnit) {
    const Units units = scattered_units(40);
    UnitGrid grid;
    grid.build(units, kColumns);
    grid.visit_near(20.0F, 20.0F, 100.0F, [&](const UnitGrid::Entry& entry) {
        EXPECT_EQ(entry.owner, units.owner[entry.unit]);
        EXPECT_EQ(entry.x, units.position_x[entry.unit]);
        EXPECT_EQ(entry.y, units.position_y[entry.unit]);
    });
}

TEST(OrderReader, ReadsWhatAppendOrderWrites) {
    std::vector<std::uint8_t> bytes;
    append_order({OrderKind::attack, 0x81, 0x1234, 0xfedc}, bytes);
    append_order({OrderKind::hold, 0x03, 0, 0}, bytes);
    EXPECT_EQ(bytes, (std::vector<std::uint8_t>{2, 0x81, 0x34, 0x12, 0xdc, 0xfe, 3, 0x03}));

    OrderReader reader(bytes);
    const auto attack = reader.next();
    ASSERT_TRUE(attack);
    EXPECT_EQ(attack->kind, OrderKind::attack);
    EXPECT_EQ(attack->groups, 0x81);
    EXPECT_EQ(attack->x, 0x1234);
    EXPECT_EQ(attack->y, 0xfedc);
    EXPECT_EQ(reader.next()->kind, OrderKind::hold);
    EXPECT_FALSE(reader.next());
}

TEST(OrderReader, TakesOnlySoManyOrders) {
    std::vector<std::uint8_t> bytes;
    for (std::uint32_t i = 0; i < OrderReader::kMostOrders + 5; ++i) {
        append_order({OrderKind::hold, 1, 0, 0}, bytes);
    }
    OrderReader reader(bytes);
    std::uint32_t taken = 0;
    while (reader.next()) {
        ++taken;
    }
    EXPECT_EQ(taken, OrderReader::kMostOrders);
}

}  // namespace
}  // namespace isotick::core::reference
