// The network for C does what the one for C++ does, and refuses in words.

#include <isotick/harness/isotick_peers.h>

#include <array>
#include <cstring>
#include <string>

#include <gtest/gtest.h>

namespace {

/// A call's message.
struct Words {
    std::array<char, 256> text{};
    isotick_message message{text.data(), text.size()};
};

isotick_network_options options_for(const char* text) {
    isotick_network_options options{};
    options.struct_size = sizeof options;
    options.nodes = 3;
    options.seed = 5;
    options.text = text;
    options.log = 1;
    return options;
}

isotick_network* network_for(const isotick_network_options& options) {
    Words words;
    isotick_network* network = nullptr;
    EXPECT_EQ(isotick_network_create(&options, &network, &words.message), ISOTICK_OK)
        << words.text.data();
    return network;
}

std::string refusal_of(const isotick_network_options& options, std::int32_t status) {
    Words words;
    auto* network = reinterpret_cast<isotick_network*>(&words);
    EXPECT_EQ(isotick_network_create(&options, &network, &words.message), status);
    EXPECT_EQ(network, nullptr);
    return words.text.data();
}

TEST(NetworkForC, DeliversAndCounts) {
    isotick_network* const network = network_for(options_for("delay=10ms twice(0>2#0+5ms)"));
    ASSERT_EQ(isotick_network_send(network, 0, 2, "abc", 3, nullptr), ISOTICK_OK);
    ASSERT_EQ(isotick_network_send(network, 1, 2, nullptr, 0, nullptr), ISOTICK_OK);
    std::int64_t at_ns = 0;
    EXPECT_EQ(isotick_network_next_arrival(network, 2, &at_ns), 1);
    EXPECT_EQ(at_ns, 10'000'000);
    EXPECT_EQ(isotick_network_next_arrival(network, 0, &at_ns), 0);
    EXPECT_EQ(isotick_network_next_arrival(network, ISOTICK_ANY_NODE, &at_ns), 1);
    isotick_delivery arrived{};
    arrived.struct_size = sizeof arrived;
    EXPECT_EQ(isotick_network_receive(network, 2, &arrived), 0);
    ASSERT_EQ(isotick_network_advance(network, 15'000'000, nullptr), ISOTICK_OK);
    EXPECT_EQ(isotick_network_now(network), 15'000'000);
    ASSERT_EQ(isotick_network_receive(network, 2, &arrived), 1);
    EXPECT_EQ(std::memcmp(arrived.data, "abc", 3), 0);
    EXPECT_EQ(arrived.size, 3U);
    EXPECT_EQ(arrived.is_copy, 0U);
    ASSERT_EQ(isotick_network_receive(network, 2, &arrived), 1);
    EXPECT_EQ(arrived.from, 1U);
    EXPECT_EQ(arrived.size, 0U);
    ASSERT_EQ(isotick_network_receive(network, 2, &arrived), 1);
    EXPECT_EQ(arrived.is_copy, 1U);
    EXPECT_EQ(arrived.at_ns, 15'000'000);
    EXPECT_EQ(arrived.struct_size, sizeof arrived);
    isotick_network_statistics counted{};
    counted.struct_size = sizeof counted;
    isotick_network_statistics_of(network, 0, 2, &counted);
    EXPECT_EQ(counted.sent, 1U);
    EXPECT_EQ(counted.delivered, 2U);
    EXPECT_EQ(counted.duplicated, 1U);
    EXPECT_EQ(counted.delivered_bytes, 6U);
    isotick_network_statistics_of(network, ISOTICK_ANY_NODE, ISOTICK_ANY_NODE, &counted);
    EXPECT_EQ(counted.sent, 2U);
    isotick_network_destroy(network);
    isotick_network_destroy(nullptr);
}

TEST(NetworkForC, WritesNoMoreThanTheCallerKnows) {
    isotick_network* const network = network_for(options_for(nullptr));
    ASSERT_EQ(isotick_network_send(network, 0, 1, "abc", 3, nullptr), ISOTICK_OK);
    isotick_delivery arrived{};
    arrived.struct_size = offsetof(isotick_delivery, data);
    ASSERT_EQ(isotick_network_receive(network, 1, &arrived), 1);
    EXPECT_EQ(arrived.from, 0U);
    EXPECT_EQ(arrived.data, nullptr) << "of a later version";
    isotick_network_destroy(network);
}

TEST(NetworkForC, TellsAnExplicitNetwork) {
    isotick_network* const network = network_for(options_for("delay=10ms loss=100%"));
    ASSERT_EQ(isotick_network_send(network, 0, 1, "abc", 3, nullptr), ISOTICK_OK);
    EXPECT_STREQ(isotick_network_explicit(network, nullptr), "delay=10ms drop(0>1#0)");
    isotick_network_destroy(network);
    isotick_network_options options = options_for("lan");
    options.log = 0;
    isotick_network* const other = network_for(options);
    Words words;
    EXPECT_EQ(isotick_network_explicit(other, &words.message), nullptr);
    EXPECT_STREQ(words.text.data(), "the network was made without a log");
    isotick_network_destroy(other);
}

// Fails if neither packet 3 nor packet 7 arrives.
std::int32_t needs_two(void* calls, isotick_network* network) {
    ++*static_cast<int*>(calls);
    for (int i = 0; i < 20; ++i) {
        EXPECT_EQ(isotick_network_send(network, 0, 1, "abc", 3, nullptr), ISOTICK_OK);
    }
    EXPECT_EQ(isotick_network_advance(network, 1'000'000'000, nullptr), ISOTICK_OK);
    isotick_delivery delivery{};
    delivery.struct_size = sizeof delivery;
    std::int32_t fails = 1;
    while (isotick_network_receive(network, 1, &delivery) != 0) {
        fails = delivery.number == 3 || delivery.number == 7 ? 0 : fails;
    }
    return fails;
}

TEST(NetworkForC, ShrinksToThePacketsThatAFailureNeeds) {
    const isotick_network_options options = options_for("delay=10ms±4ms loss=95% dup=3%");
    int calls = 0;
    isotick_network* least = nullptr;
    ASSERT_EQ(isotick_network_shrink(&options, needs_two, &calls, 0, &least, nullptr), ISOTICK_OK);
    EXPECT_STREQ(isotick_network_text(least), "perfect drop(0>1#3) drop(0>1#7)");
    EXPECT_LT(calls, 40);
    isotick_network_destroy(least);
    // Where it never fails, the given one stays.
    const auto never = [](void*, isotick_network*) -> std::int32_t { return 0; };
    ASSERT_EQ(isotick_network_shrink(&options, never, nullptr, 5, &least, nullptr), ISOTICK_OK);
    EXPECT_STREQ(isotick_network_text(least), "delay=10ms±4ms loss=95% dup=3%");
    isotick_network_destroy(least);
}

TEST(NetworkForC, TakesTracesByName) {
    isotick_network_options options = options_for("trace(a) 0>1(trace(b))");
    const std::array traces{isotick_link_trace{"b", "100\n", 4}, isotick_link_trace{"a", "7\n", 2}};
    options.traces = traces.data();
    options.trace_count = traces.size();
    isotick_network* const network = network_for(options);
    ASSERT_EQ(isotick_network_send(network, 0, 1, "abc", 3, nullptr), ISOTICK_OK);
    std::int64_t at_ns = 0;
    ASSERT_EQ(isotick_network_next_arrival(network, 1, &at_ns), 1);
    EXPECT_EQ(at_ns, 100'000'000);
    isotick_network_destroy(network);
    options.text = "trace(c)";
    EXPECT_EQ(refusal_of(options, ISOTICK_ERROR_USAGE), "no trace 'c' was given");
    options.text = "trace(a)";
    const isotick_link_trace damaged{"a", nullptr, 9};
    options.traces = &damaged;
    options.trace_count = 1;
    EXPECT_NE(refusal_of(options, ISOTICK_ERROR_DAMAGED).find("line 0: expected"),
              std::string::npos);
}

TEST(NetworkForC, RefusesInWords) {
    EXPECT_EQ(refusal_of(options_for("loss=101%"), ISOTICK_ERROR_USAGE),
              "at column 6: expected a share such as 10% or 12.5% from 0 to 100");
    isotick_network_options options = options_for("lan");
    options.nodes = 1;
    EXPECT_EQ(refusal_of(options, ISOTICK_ERROR_USAGE), "a network has 2 to 256 nodes");
    options.struct_size = 0;
    EXPECT_EQ(refusal_of(options, ISOTICK_ERROR_USAGE),
              "the struct_size of an argument is not set");
    isotick_network* const network = network_for(options_for("lan"));
    Words words;
    EXPECT_EQ(isotick_network_send(network, 0, 0, "abc", 3, &words.message), ISOTICK_ERROR_USAGE);
    EXPECT_STREQ(words.text.data(), "there is no link from node 0 to node 0");
    const std::string large(65'508, 'x');
    EXPECT_EQ(isotick_network_send(network, 0, 1, large.data(), large.size(), nullptr),
              ISOTICK_ERROR_LIMIT);
    EXPECT_EQ(isotick_network_advance(network, -1, &words.message), ISOTICK_ERROR_USAGE);
    EXPECT_EQ(isotick_peers_api_version(), ISOTICK_PEERS_API_VERSION);
    isotick_network_destroy(network);
}

}  // namespace
