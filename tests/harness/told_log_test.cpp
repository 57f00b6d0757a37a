// The log that a simulation writes of its own writes, whole, cut off and made up.

#include "run/told_log.hpp"

#include <isotick/core/detail/bytes.hpp>

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include <gtest/gtest.h>

namespace isotick::harness {
namespace {

using core::Bytes;

constexpr std::uint8_t kStep = 4;

// {"x": x, "y": y}, two bytes each of them.
Bytes fields(std::uint8_t x, std::uint8_t y) {
    constexpr std::string_view kBegin("\x01\x10\x01\x01x\x20", 6);
    constexpr std::string_view kMiddle("\x01\x01y\x20", 4);
    Bytes bytes;
    core::put_bytes(bytes, std::as_bytes(std::span(kBegin)));
    core::put(bytes, x);
    core::put_bytes(bytes, std::as_bytes(std::span(kMiddle)));
    core::put(bytes, y);
    core::put(bytes, std::uint8_t{0x11});
    core::put(bytes, std::uint8_t{0});
    return bytes;
}

void put_fields(Bytes& out, const Bytes& bytes) {
    core::put(out, static_cast<std::uint32_t>(bytes.size()));
    core::put_bytes(out, bytes);
}

void put_write(Bytes& out, std::uint8_t verb, std::uint32_t line, const Bytes& after) {
    core::put(out, verb);
    core::put(out, std::uint32_t{1});
    core::put_string(out, "Game.step");
    core::put_string(out, "game.lua");
    core::put(out, line);
    put_fields(out, after);
}

Bytes begun() {
    Bytes log{std::byte{0}};
    put_fields(log, fields(1, 1));
    return log;
}

Bytes two_writes() {
    Bytes log = begun();
    put_write(log, kStep, 10, fields(1, 5));
    put_write(log, kStep, 12, fields(7, 5));
    return log;
}

TEST(ToldLog, HasEachFieldThatALineChanges) {
    const auto log = write_log_of(two_writes(), "");
    ASSERT_TRUE(log) << describe(log.error());
    ASSERT_EQ(log->noted.size(), 2);
    EXPECT_EQ(log->noted[0].path, "y");
    EXPECT_EQ(log->noted[0].before, "1");
    EXPECT_EQ(log->noted[0].after, "5");
    EXPECT_EQ(log->noted[1].path, "x");
    EXPECT_EQ(log->noted[1].during, Activity::stepping);
    EXPECT_EQ(log->noted[1].sites,
              (std::vector<CallSite>{{.file = "game.lua", .offset = 12, .function = "Game.step"}}));
    EXPECT_NE(log->writes[0].place, log->writes[1].place);
}

TEST(ToldLog, HasOnlyThePartThatIsAskedFor) {
    const auto log = write_log_of(two_writes(), "x");
    ASSERT_TRUE(log);
    ASSERT_EQ(log->noted.size(), 1);
    EXPECT_EQ(log->noted[0].path, "x");
}

TEST(ToldLog, RefusesOneThatEndsTooEarly) {
    const Bytes whole = two_writes();
    const std::size_t first = begun().size();
    Bytes one = begun();
    put_write(one, kStep, 10, fields(1, 5));
    for (std::size_t size = 0; size < whole.size(); ++size) {
        const auto log = write_log_of(std::span(whole).first(size), "");
        EXPECT_EQ(log.has_value(), size == first || size == one.size()) << size;
    }
}

TEST(ToldLog, RefusesWhatIsNone) {
    for (const unsigned verb : {0U, 6U, 10U, 255U}) {
        Bytes log = begun();
        put_write(log, static_cast<std::uint8_t>(verb), 10, fields(1, 5));
        EXPECT_FALSE(write_log_of(log, "")) << verb;
    }
    Bytes many_calls = begun();
    core::put(many_calls, kStep);
    core::put(many_calls, std::uint32_t{1001});
    EXPECT_FALSE(write_log_of(many_calls, ""));
    Bytes bad_fields = begun();
    put_write(bad_fields, kStep, 10, Bytes(4, std::byte{0x77}));
    EXPECT_FALSE(write_log_of(bad_fields, ""));
}

}  // namespace
}  // namespace isotick::harness
