// What is exported and imported again is the same file, byte for byte.

#include "text_files.hpp"

#include <isotick/core/random.hpp>

#include <filesystem>
#include <ostream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <replay/fake_session.hpp>
#include <replay/golden_sessions.hpp>
#include <support/scratch_folder.hpp>

namespace isotick::harness {
namespace {

using replay::FakeSession;
using replay::Input;
using ::testing::HasSubstr;

struct Case {
    const char* name;
    FakeSession session;
    bool killed = false;
};

void PrintTo(const Case& shown, std::ostream* out) {
    *out << shown.name;
}

FakeSession with(std::uint32_t players, std::uint64_t ticks) {
    FakeSession session;
    session.head.session.players = players;
    session.ticks = ticks;
    session.input = replay::mixed_input;
    return session;
}

FakeSession strided(std::uint32_t hash_every, std::uint32_t parts_every, std::uint32_t parts,
                    std::uint64_t ticks) {
    FakeSession session = with(2, ticks);
    session.head.hash_every = hash_every;
    session.head.parts_every = parts_every;
    session.set_parts(parts);
    return session;
}

FakeSession long_inputs() {
    FakeSession session = with(2, 70);
    session.input = [](std::uint64_t tick, std::uint32_t column) {
        return tick % 7 == column ? Input(std::vector<std::uint8_t>(ISOTICK_LONGEST_INPUT - tick))
                                  : Input();
    };
    return session;
}

FakeSession odd_texts() {
    FakeSession session = with(1, 10);
    auto& head = session.head;
    head.session.simulation = "b\xc3\xa4ll \"\\\n";
    head.session.seed = UINT64_MAX;
    head.session.rate = core::TickRate::make(60000, 1001).value();
    EXPECT_TRUE(head.session.config.set("latin", "\xe4"));
    EXPECT_TRUE(head.notes.set("k\xff", "v\x01"));
    EXPECT_TRUE(head.notes.set("plain", ""));
    head.hash_algorithm = "user:crc64";
    head.nan_policy = "one";
    head.part_names = {"a", "\xff\xfe"};
    return session;
}

std::vector<Case> cases() {
    return {{"golden", replay::golden_session()},
            {"golden_zstd", replay::golden_zstd_session()},
            {"golden_dt", replay::golden_dt_session()},
            {"golden_dt_zstd", replay::golden_dt_zstd_session()},
            {"example", replay::example_session()},
            {"nobody", with(0, 100)},
            {"no_ticks", with(2, 0)},
            {"no_ticks_with_parts", strided(1, 60, 3, 0)},
            {"one_tick", with(2, 1)},
            {"whole_chunks", with(2, 128)},
            {"every_60th_hash", strided(60, 60, 1, 333)},
            {"final_off_stride", strided(7, 11, 5, 100)},
            {"parts_more_often", strided(60, 7, 3, 200)},
            {"parts_at_the_end", strided(60, 50, 3, 100)},
            {"many_parts", strided(1, 16, 256, 33)},
            {"many_players", with(300, 20)},
            {"long_inputs", long_inputs()},
            {"odd_texts", odd_texts()},
            {"killed", with(2, 200), true},
            {"killed_with_parts", strided(7, 11, 5, 150), true},
            {"killed_at_once", with(2, 10), true}};
}

class RoundTrip : public ::testing::TestWithParam<Case> {
  protected:
    RoundTrip() {
        const Case& shown = GetParam();
        auto writer = shown.session.create(original_).value();
        EXPECT_TRUE(shown.session.append(writer, shown.session.ticks));
        if (!shown.killed) {
            EXPECT_TRUE(shown.session.finish(writer));
        }
    }

    tests::ScratchFolder folder_;
    std::string original_ = folder_.file("original.isotick");
    std::string copy_ = folder_.file("copy.isotick");
};

TEST_P(RoundTrip, GivesTheSameFile) {
    ExportResult result;
    const std::string text = text_of(original_, &result);
    EXPECT_EQ(result.finished, !GetParam().killed);
    const auto imported = import_from(text, copy_);
    ASSERT_TRUE(imported) << describe(imported.error());
    EXPECT_FALSE(imported->computed);
    EXPECT_EQ(imported->ticks, result.ticks);
    EXPECT_EQ(bytes_of(copy_), bytes_of(original_));
    EXPECT_EQ(text_of(copy_), text);
}

TEST_P(RoundTrip, ReplacesAFileOnlyWhenAllWentWell) {
    const std::string text = text_of(original_);
    std::ofstream(copy_) << "precious";
    const auto refused = import_from(text, copy_);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, core::ErrorCode::usage);
    EXPECT_FALSE(import_from(text + "{}", copy_, true));
    EXPECT_EQ(bytes_of(copy_), "precious");
    ASSERT_TRUE(import_from(text, copy_, true));
    EXPECT_EQ(bytes_of(copy_), bytes_of(original_));
}

INSTANTIATE_TEST_SUITE_P(RecordingText, RoundTrip, ::testing::ValuesIn(cases()),
                         [](const auto& param) { return std::string(param.param.name); });

// A recording of a built-in, played by its bot or with random bytes for inputs.
std::string recorded(const tests::ScratchFolder& folder, const char* simulation,
                     InputSource inputs) {
    const auto* table = core::find_simulation(simulation);
    RecordPlan plan;
    plan.path = folder.file(std::string(simulation) + ".isotick");
    plan.setup.players = table->info->usual_players;
    plan.setup.rate = core::preferred_rate(*table->info);
    plan.ticks = 500;
    plan.inputs = inputs;
    plan.hash_every = 7;
    Progress progress;
    EXPECT_FALSE(run_record(plan, *table, progress).error);
    return plan.path;
}

class BuiltIn : public ::testing::TestWithParam<const char*> {
  protected:
    tests::ScratchFolder folder_;
};

TEST_P(BuiltIn, IsTheSameAgainFromWordsFromHexAndComputed) {
    const std::string path = recorded(folder_, GetParam(), InputSource::bot);
    ExportResult result;
    const std::string text = text_of(path, &result);
    EXPECT_GT(result.inputs_described, result.inputs_in_hex);
    const std::string copy = folder_.file("copy.isotick");
    ASSERT_TRUE(import_from(text, copy));
    EXPECT_EQ(bytes_of(copy), bytes_of(path));
    ASSERT_TRUE(import_from(text_of(path, nullptr, true), copy, true));
    EXPECT_EQ(bytes_of(copy), bytes_of(path));
    const auto computed = import_from(text, copy, true, true);
    ASSERT_TRUE(computed) << describe(computed.error());
    EXPECT_TRUE(computed->computed);
    EXPECT_EQ(bytes_of(copy), bytes_of(path));
}

INSTANTIATE_TEST_SUITE_P(RecordingText, BuiltIn, ::testing::Values("pile", "skirmish", "spring"),
                         [](const auto& param) { return std::string(param.param); });

TEST(RecordingText, BytesThatMeanNothingStayInHexadecimal) {
    const tests::ScratchFolder folder;
    std::string text = text_of(recorded(folder, "skirmish", InputSource::bot), nullptr, true);
    constexpr std::string_view kFirst = R"("hex":{"0":")";
    const std::size_t first = text.find(kFirst) + kFirst.size();
    text.replace(first, text.find('"', first) - first, "ff");  // no order is so short
    const std::string path = folder.file("odd.isotick");
    ASSERT_TRUE(import_from(text, path, false, true));
    ExportResult result;
    text = text_of(path, &result);
    EXPECT_EQ(result.inputs_in_hex, 1U);
    EXPECT_GT(result.inputs_described, 0U);
    ASSERT_TRUE(import_from(text, folder.file("copy.isotick")));
    EXPECT_EQ(bytes_of(folder.file("copy.isotick")), bytes_of(path));
}

TEST(RecordingText, UnfinishedSessionsAreComputedUnfinished) {
    const tests::ScratchFolder folder;
    const std::string text =
        "{\"format\":\"isotick-text\",\"version\":1,\"simulation\":\"spring\"}\n"
        "{\"repeat\":128}\n";
    for (const bool overwrite : {false, true}) {
        ASSERT_TRUE(import_from(text, folder.file("killed.isotick"), overwrite));
        auto reader = replay::Reader::open(folder.file("killed.isotick")).value();
        EXPECT_EQ(reader.chunk_count().value(), 2U);
        EXPECT_FALSE(reader.has_tail());
    }
}

TEST(RecordingText, ADamagedRecordingGivesItsIntactTicks) {
    const tests::ScratchFolder folder;
    const FakeSession session = with(2, 200);
    const std::string path = folder.file("damaged.isotick");
    ASSERT_TRUE(session.record(path));
    std::string bytes = bytes_of(path);
    bytes[bytes.size() * 3 / 5] ^= 1;
    std::ofstream(path, std::ios::binary) << bytes;
    ExportResult result;
    const std::string text = text_of(path, &result);
    ASSERT_TRUE(result.damage);
    EXPECT_EQ(result.ticks, 64U);
    EXPECT_FALSE(result.finished);
    EXPECT_THAT(text, HasSubstr("{\"ticks\":64,\"finished\":false}\n"));
    EXPECT_TRUE(import_from(text, folder.file("rest.isotick")));
}

TEST(RecordingText, AnyMutationIsRefusedOrARecordingLikeAnother) {
    const tests::ScratchFolder folder;
    ASSERT_TRUE(strided(3, 4, 2, 20).record(folder.file("s.isotick")));
    const std::string text = text_of(folder.file("s.isotick"));
    core::Pcg32 random(5, 6);
    int taken = 0;
    for (int round = 0; round < 3000; ++round) {
        std::string changed = text;
        for (std::uint32_t changes = 1 + random.below(2); changes > 0; --changes) {
            const std::size_t at = random.below(static_cast<std::uint32_t>(changed.size()));
            constexpr std::string_view kLetters = "{}[]\",:0123456789abcdef-.tn\n\xff";
            changed[at] = kLetters[random.below(kLetters.size())];
        }
        const std::string path = folder.file("changed.isotick");
        if (import_from(changed, path)) {
            ++taken;
            ASSERT_TRUE(import_from(text_of(path), folder.file("again.isotick"), true)) << changed;
            ASSERT_EQ(bytes_of(folder.file("again.isotick")), bytes_of(path)) << changed;
            std::filesystem::remove(path);
        }
        ASSERT_FALSE(std::filesystem::exists(path)) << changed;
    }
    EXPECT_GT(taken, 100);
    EXPECT_LT(taken, 2500);
}

TEST(RecordingText, AFullSinkEndsTheExport) {
    const tests::ScratchFolder folder;
    ASSERT_TRUE(with(2, 2000).record(folder.file("s.isotick")));
    auto reader = replay::Reader::open(folder.file("s.isotick")).value();
    int calls = 0;
    const auto exported = export_text(reader, nullptr, [&](std::string_view) -> core::Result<void> {
        ++calls;
        return core::fail(core::ErrorCode::io, "full");
    });
    ASSERT_FALSE(exported);
    EXPECT_EQ(exported.error().message, "full");
    EXPECT_EQ(calls, 1);
}

}  // namespace
}  // namespace isotick::harness
