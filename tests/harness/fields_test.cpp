// Fields of states that differ: through trials with dumps, and between dumps.

#include "run/state_observers.hpp"
#include "support/faulty.hpp"
#include "support/scratch_folder.hpp"

#include <isotick/core/detail/fields.hpp>
#include <isotick/core/detail/reference.hpp>
#include <isotick/harness/detail/explain.hpp>
#include <isotick/harness/record.hpp>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace isotick::harness {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class Fields : public ::testing::Test {
  protected:
    std::string record(const isotick_simulation_table& table, std::uint64_t ticks) {
        RecordPlan plan;
        plan.path = folder_.file("s" + std::to_string(recorded_++) + ".isotick");
        plan.setup.players = 1;
        plan.ticks = ticks;
        const auto recorded = run_record(plan, table, progress_);
        EXPECT_FALSE(recorded.error) << describe(*recorded.error);
        return plan.path;
    }

    // The file that a dump of `recording` goes to.
    std::string dump(const std::string& recording, const char* name,
                     std::optional<std::uint64_t> ticks_done, const std::string& fault = "") {
        TrialPlan plan = plan_of(recording, fault);
        plan.dumps = {DumpRequest{empty_file(name), ticks_done}};
        result_ = run_trial(plan, faulty_, progress_);
        return plan.dumps.front().path;
    }

    static TrialPlan plan_of(const std::string& recording, const std::string& fault = "") {
        TrialPlan plan;
        plan.recording = recording;
        if (!fault.empty()) {
            EXPECT_TRUE(plan.environment.set("fault", fault));
        }
        return plan;
    }

    // What these plans came to before the fault came in.
    std::vector<TrialResult> as_before(std::span<const TrialPlan> plans) {
        std::vector<TrialResult> results;
        for (TrialPlan old : plans) {
            old.environment = {};
            results.push_back(run_trial(old, faulty_, progress_));
        }
        return results;
    }

    std::string empty_file(const char* name) {
        const std::string path = folder_.file(name);
        std::ofstream{path};
        return path;
    }

    static std::vector<char> content(const std::string& path) {
        std::ifstream file(path, std::ios::binary);
        return {std::istreambuf_iterator<char>(file), {}};
    }

    tests::ScratchFolder folder_;
    const isotick_simulation_table& faulty_ = core::simulation_table<tests::Faulty>();
    Progress progress_;
    TrialResult result_;
    int recorded_ = 0;
};

std::vector<std::string> lines(const core::FieldDifferences& differences) {
    std::vector<std::string> texts;
    for (const core::FieldDifference& difference : differences.listed) {
        texts.push_back(to_string(difference));
    }
    return texts;
}

TEST_F(Fields, ADumpIsOfTheStateThatWasAskedFor) {
    const std::string recording = record(faulty_, 50);
    for (const std::uint64_t ticks : {std::uint64_t{0}, std::uint64_t{17}, std::uint64_t{50}}) {
        const std::string path = dump(recording, "a.state", ticks);
        EXPECT_TRUE(result_.dumped) << ticks;
        const std::vector<char> bytes = content(path);
        const auto head = core::read_state_dump(std::as_bytes(std::span(bytes))).value().head;
        EXPECT_EQ(head.tick, ticks);
        EXPECT_EQ(head.simulation, "faulty");
    }
}

TEST_F(Fields, ADumpIsOfTheLastStateWhereNoneIsNamed) {
    const std::string recording = record(faulty_, 50);
    const std::vector<char> last = content(dump(recording, "a.state", std::nullopt));
    EXPECT_EQ(last, content(dump(recording, "b.state", 50)));
    const auto head = core::read_state_dump(std::as_bytes(std::span(last))).value().head;
    EXPECT_EQ(core::StateHash{head.hash}, result_.last_hash);
}

TEST_F(Fields, ADumpOfADivergedTrialIsOfTheStateThatDiverged) {
    dump(record(faulty_, 50), "a.state", std::nullopt, "build");
    const std::vector<char> bytes = content(folder_.file("a.state"));
    EXPECT_EQ(core::read_state_dump(std::as_bytes(std::span(bytes))).value().head.tick, 21U);
}

TEST_F(Fields, ADumpThatCannotBeWrittenSaysSoAndDecidesNothing) {
    TrialPlan plan = plan_of(record(faulty_, 30));
    plan.dumps = {DumpRequest{folder_.file("nowhere/a.state"), std::nullopt}};
    const TrialResult result = run_trial(plan, faulty_, progress_);
    EXPECT_EQ(result.verdict, Verdict::identical);
    ASSERT_TRUE(result.dump_failed);
    EXPECT_EQ(result.dump_failed->code, core::ErrorCode::io);
    EXPECT_THAT(result.dump_failed->file, HasSubstr("nowhere/a.state"));
    EXPECT_FALSE(result.dumped);
}

TEST_F(Fields, ASerializeThatThrowsIsNamedWithItsText) {
    TrialPlan plan = plan_of(record(faulty_, 30), "throw");
    EXPECT_TRUE(plan.environment.set("in", "fields"));
    plan.dumps = {DumpRequest{empty_file("a.state"), 21}};
    const TrialResult result = run_trial(plan, faulty_, progress_);
    ASSERT_TRUE(result.dump_failed);
    EXPECT_THAT(result.dump_failed->message, HasSubstr("planted"));
}

TEST_F(Fields, OfTwoBuildsAreThoseThatDiffer) {
    const std::string recording = record(faulty_, 50);
    const std::string a = dump(recording, "a.state", 30);
    const std::string b = dump(recording, "b.state", 21, "build");
    const auto compared = compare_state_dumps(a, b, 10).value();
    EXPECT_EQ(compared.a.ticks_done, 30U);
    EXPECT_EQ(compared.b.ticks_done, 21U);
    EXPECT_EQ(compared.differences.kinds.front().path, "counter");
}

TEST_F(Fields, OfADumpThatIsCutAreAnErrorWithItsFileAndOffset) {
    const std::string a = dump(record(faulty_, 30), "a.state", 30);
    const std::vector<char> whole = content(a);
    for (std::size_t size = 0; size < whole.size(); ++size) {
        const std::string cut = folder_.file("cut.state");
        std::ofstream(cut, std::ios::binary).write(whole.data(), static_cast<long>(size));
        const auto compared = compare_state_dumps(a, cut, 10);
        ASSERT_FALSE(compared) << size;
        EXPECT_EQ(compared.error().code, core::ErrorCode::damaged);
        EXPECT_EQ(compared.error().file, cut);
        EXPECT_EQ(is_state_dump(cut), size >= 8);
    }
}

// A diverged trial of `table`, explained.
Explanation explained(const std::string& recording, const isotick_simulation_table& table,
                      TrialPlan plan, const ExplainOptions& options) {
    Progress progress;
    plan.recording = recording;
    const TrialResult result = run_trial(plan, table, progress);
    EXPECT_EQ(result.verdict, Verdict::diverged) << result.reason;
    return explain(plan, result, in_this_process(table), options).value();
}

TEST_F(Fields, OfAnExplanationAreThoseThatTheScheduleLeakedInto) {
    const auto& table = *core::find_reference_simulation("control:alpha");
    RecordPlan recording;
    recording.path = folder_.file("alpha.isotick");
    recording.setup.players = 2;
    recording.ticks = 100;
    ASSERT_FALSE(run_record(recording, table, progress_).error);
    TrialPlan plan;
    plan.drive.schedule = core::Schedule::parse("144hz").value();
    const Explanation found = explained(recording.path, table, plan, {2, nullptr, {}});
    EXPECT_EQ(found.parts, std::vector<std::string>{"units"});
    ASSERT_TRUE(found.fields.known) << found.fields.unknown;
    ASSERT_EQ(found.fields.differences.kinds.size(), 2U);
    EXPECT_EQ(found.fields.differences.kinds[0].path, "units.position_x[*]");
    EXPECT_EQ(found.fields.differences.kinds[1].path, "units.position_y[*]");
    EXPECT_EQ(found.fields.differences.listed.size(), 4U);
}

TEST_F(Fields, OfAnotherBuildAreUnknownUntilTheBuildThatRecordedIsThere) {
    const std::string recording = record(faulty_, 50);
    TrialPlan plan = plan_of(recording, "build");
    EXPECT_THAT(explained(recording, faulty_, plan, {}).fields.unknown,
                HasSubstr("gives the recorded hash"));

    // The same table stands for the old build: its plans come without the fault.
    const TrialRunner old_build = [this](std::span<const TrialPlan> plans, Isolation) {
        return core::Result<std::vector<TrialResult>>(as_before(plans));
    };
    const Explanation found = explained(recording, faulty_, plan, {3, &old_build, {}});
    EXPECT_EQ(found.ticks_done, 21U);
    ASSERT_TRUE(found.fields.known) << found.fields.unknown;
    EXPECT_THAT(lines(found.fields.differences), ElementsAre("counter  21 → 22"));
}

TEST_F(Fields, OfARecordingUnderAnotherScheduleComeFromRunningThatOne) {
    const auto& table = *core::find_reference_simulation("control:alpha");
    RecordPlan recording;
    recording.path = folder_.file("driven.isotick");
    recording.setup.players = 2;
    recording.ticks = 100;
    recording.drive.schedule = core::Schedule::parse("144hz").value();
    ASSERT_FALSE(run_record(recording, table, progress_).error);
    ExplainOptions options;
    EXPECT_FALSE(explained(recording.path, table, {}, options).recorded_side_runs);
    options.recorded_schedule = recording.drive.schedule;
    const Explanation found = explained(recording.path, table, {}, options);
    EXPECT_TRUE(found.only_as_recorded);
    ASSERT_TRUE(found.fields.known) << found.fields.unknown;
    EXPECT_EQ(found.fields.differences.kinds[0].path, "units.position_x[*]");
}

TEST_F(Fields, AreOfTheFirstStateThatDiffersHoweverFarApartHashesAreStored) {
    RecordPlan recording;
    recording.path = folder_.file("sparse.isotick");
    recording.setup.players = 1;
    recording.ticks = 12'000;
    recording.hash_every = 10'000;
    recording.parts_every = 10'000;
    ASSERT_FALSE(run_record(recording, faulty_, progress_).error);
    TrialPlan plan = plan_of(recording.path, "build");
    EXPECT_TRUE(plan.environment.set("at", "4200"));
    const TrialRunner old_build = [this](std::span<const TrialPlan> plans, Isolation) {
        return core::Result<std::vector<TrialResult>>(as_before(plans));
    };
    const Explanation found = explained(recording.path, faulty_, plan, {3, &old_build, {}});
    EXPECT_EQ(found.ticks_done, 4201U);
    EXPECT_THAT(lines(found.fields.differences), ElementsAre("counter  4201 → 4202"));
}

TEST_F(Fields, AreNotComparedWhereNobodyAsks) {
    const std::string recording = record(faulty_, 50);
    const Explanation found =
        explained(recording, faulty_, plan_of(recording, "build"), {0, nullptr, {}});
    EXPECT_FALSE(found.fields.known);
}

TEST_F(Fields, OfASideThatComesToAnotherHashAreUnknown) {
    const TrialPlan plan = plan_of(record(faulty_, 30));
    const TrialRunner run = in_this_process(faulty_);
    const auto report =
        compare_states({plan, &run, {1}}, {plan, &run, {1}}, {10, 10}, 3).value().fields;
    EXPECT_FALSE(report.known);
    EXPECT_THAT(report.unknown, HasSubstr("gave another hash"));
}

// The fields would be another run's than the hashes beside them.
TEST_F(Fields, OfADumpWhoseStateHashesToSomethingElseAreUnknown) {
    const std::vector<char> dumped = content(dump(record(faulty_, 30), "a.state", 30));
    const auto bytes = std::as_bytes(std::span(dumped));
    const core::StateHash hash{core::read_state_dump(bytes).value().head.hash};
    EXPECT_TRUE(compare_dumped({bytes, hash}, {bytes, hash}, 3).known);
    const FieldReport report = compare_dumped({bytes, hash}, {bytes, {1}}, 3);
    EXPECT_FALSE(report.known);
    EXPECT_THAT(report.unknown, HasSubstr("when hashed again, the state that had hash"));
}

TEST_F(Fields, OfASimulationThatDoesNotShowThemAreUnknown) {
    isotick_simulation_table blind = faulty_;
    isotick_info info = *faulty_.info;
    info.capabilities &= ~ISOTICK_HAS_FIELDS;
    blind.info = &info;
    const TrialPlan plan = plan_of(record(blind, 30));
    const TrialRunner run = in_this_process(blind);
    const auto report =
        compare_states({plan, &run, {}}, {plan, &run, {}}, {10, 10}, 3).value().fields;
    EXPECT_THAT(report.unknown, HasSubstr("does not show its fields"));
}

}  // namespace
}  // namespace isotick::harness
