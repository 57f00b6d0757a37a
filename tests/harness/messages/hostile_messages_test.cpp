// Bytes that no worker and no parent has written: a worker runs foreign code, which may write over
// its answer.

#include "example_messages.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace isotick::harness {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

template <class Message>
void expect_refused_where_cut(const Message& message) {
    const std::string bytes = to_bytes(message);
    for (std::size_t size = 0; size < bytes.size(); ++size) {
        EXPECT_FALSE(from_bytes<Message>(bytes.substr(0, size))) << "cut to " << size;
    }
    EXPECT_FALSE(from_bytes<Message>(bytes + '\0'));
    const auto arrived = from_bytes<Message>(bytes);
    ASSERT_TRUE(arrived) << describe(arrived.error());
    EXPECT_EQ(to_bytes(*arrived), bytes);
}

// What a changed byte makes of a message is refused, or another message.
template <class Message>
void expect_message_or_error(const Message& message) {
    const std::string bytes = to_bytes(message);
    for (std::size_t at = 0; at < bytes.size(); ++at) {
        for (const unsigned bits : {0x01U, 0x80U, 0xffU}) {
            std::string changed = bytes;
            changed[at] = static_cast<char>(static_cast<unsigned char>(changed[at]) ^ bits);
            if (const auto arrived = from_bytes<Message>(changed)) {
                const auto again = from_bytes<Message>(to_bytes(*arrived));
                ASSERT_TRUE(again) << "byte " << at << ": " << describe(again.error());
                EXPECT_EQ(to_bytes(*again), to_bytes(*arrived)) << "byte " << at;
            }
        }
    }
}

TEST(HostileMessages, AreRefusedWhereTheyAreCutOrGoOn) {
    for (const Job& job : tests::example_jobs()) {
        expect_refused_where_cut(job);
    }
    for (const Response& response : tests::example_responses()) {
        expect_refused_where_cut(response);
    }
}

TEST(HostileMessages, AreMessagesOrErrorsWhateverByteIsChanged) {
    for (const Job& job : tests::example_jobs()) {
        expect_message_or_error(job);
    }
    for (const Response& response : tests::example_responses()) {
        expect_message_or_error(response);
    }
}

TEST(HostileMessages, TakeNoMemoryForWhatIsNotThere) {
    RecordResult result;
    result.error = core::Error{core::ErrorCode::usage, "", "", {}, {}};
    std::string bytes = to_bytes(Response(result));
    // The variant's index, the optional's flag and the error's code stand before its length.
    const std::size_t length_of_message = 4 + 1 + 4;
    bytes.replace(length_of_message, 8, 8, '\x7f');
    EXPECT_FALSE(from_bytes<Response>(bytes));
}

TEST(HostileMessages, AreNoEnumeratorsThatDoNotExist) {
    const Response held(core::Error{core::ErrorCode::simulation, "", "", {}, {}});
    std::string bytes = to_bytes(held);
    ++bytes[4];  // behind the variant's index: the code, of which this was the last
    const auto arrived = from_bytes<Response>(bytes);
    ASSERT_FALSE(arrived);
    EXPECT_THAT(arrived.error().message, HasSubstr("no value of its enum"));
}

TEST(HostileMessages, AreTheSimulationsFailures) {
    for (const std::string& bytes : {std::string(), std::string("\xff\xff\xff\xff")}) {
        const auto parsed = parse_trial_response(bytes);
        ASSERT_FALSE(parsed);
        EXPECT_EQ(parsed.error().code, core::ErrorCode::simulation);
        EXPECT_THAT(parsed.error().message, StartsWith("a worker's message cannot be read: "));
        EXPECT_FALSE(parse_held_response(bytes));
        EXPECT_FALSE(parse_job(bytes));
    }
}

TEST(HostileMessages, AreRefusedWhereTheyAnswerAnotherQuestion) {
    EXPECT_FALSE(parse_record_response(held_response(7)));
    EXPECT_FALSE(parse_probe_response(held_response(7)));
    EXPECT_FALSE(parse_facts_response(to_bytes(Response(RecordResult{}))));
    EXPECT_EQ(parse_held_response(held_response(7)), 7U);
    const auto failed = parse_trial_response(
        failed_response({core::ErrorCode::usage, "no such simulation", "f", {}, {}}));
    ASSERT_FALSE(failed);
    EXPECT_EQ(failed.error().code, core::ErrorCode::usage);
    EXPECT_EQ(failed.error().file, "f");
}

}  // namespace
}  // namespace isotick::harness
