// Two files of digests: the first state in which a kind differs that both have.

#include "run/field_digest_file.hpp"
#include "support/scratch_folder.hpp"
#include "system/files.hpp"

#include <isotick/core/detail/reference.hpp>
#include <isotick/harness/record.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace isotick::harness {
namespace {

const auto kAll = [](const std::string&) { return true; };

// A trial of skirmish over a recording that its twin made, with digests of every state.
class DigestFile : public ::testing::Test {
  protected:
    static const isotick_simulation_table& simulation(std::string_view name) {
        for (const isotick_simulation_table* table : core::reference_simulations()) {
            if (table->info->name == name) {
                return *table;
            }
        }
        throw std::runtime_error("no such simulation");
    }

    void SetUp() override {
        RecordPlan plan;
        plan.path = recording();
        plan.setup.players = 2;
        plan.setup.seed = 1;
        plan.setup.rate = core::TickRate::make(60, 1).value();
        plan.ticks = 50;
        Progress progress;
        ASSERT_FALSE(run_record(plan, simulation("skirmish"), progress).error);
    }

    [[nodiscard]] std::string recording() const { return folder_.file("s.isotick"); }

    TrialResult digest(const SharedFile& file, std::optional<core::Tick> until = {}) {
        TrialPlan plan;
        plan.recording = recording();
        plan.until = until;
        plan.field_digests = FieldDigestRequest{file.path()};
        Progress progress;
        return run_trial(plan, simulation("skirmish"), progress);
    }

    tests::ScratchFolder folder_;
};

TEST_F(DigestFile, OfTheSameBuildAreAlike) {
    const auto a = SharedFile::make().value();
    const auto b = SharedFile::make().value();
    EXPECT_EQ(digest(a).verdict, Verdict::identical);
    EXPECT_EQ(digest(b, core::Tick{19}).verdict, Verdict::identical);
    const auto compared = compare_digests(a.read()->bytes(), b.read()->bytes(), kAll);
    EXPECT_FALSE(compared.diverged);
    EXPECT_EQ(compared.states, 21U);
    EXPECT_GT(compared.shared_kinds, 3U);
}

TEST_F(DigestFile, IsReadAsFarAsItGoesAtEveryCut) {
    const auto a = SharedFile::make().value();
    digest(a);
    const auto whole = a.read();
    for (std::size_t size = 0; size < whole->bytes().size(); size += 97) {
        const auto compared = compare_digests(whole->bytes(), whole->bytes().first(size), kAll);
        EXPECT_FALSE(compared.diverged) << size;
    }
}

TEST_F(DigestFile, WithAFlippedDigestPartsThere) {
    const auto a = SharedFile::make().value();
    digest(a);
    const auto file = a.read();
    std::vector<std::byte> bytes(file->bytes().begin(), file->bytes().end());
    bytes.back() ^= std::byte{1};  // of the last state's last digest
    const auto compared = compare_digests(file->bytes(), bytes, kAll);
    ASSERT_TRUE(compared.diverged);
    EXPECT_EQ(compared.diverged->ticks_done, 50U);
    EXPECT_EQ(compared.diverged->kinds.size(), 1U);
    const std::string kind = compared.diverged->kinds.front();
    const auto others = [&](const std::string& one) { return one != kind; };
    EXPECT_FALSE(compare_digests(file->bytes(), bytes, others).diverged);
}

}  // namespace
}  // namespace isotick::harness
