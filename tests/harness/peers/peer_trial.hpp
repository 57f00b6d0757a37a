#pragma once
// A recorded session, and trials that are one of its peers.

#include "piles/piles.hpp"
#include "random_course.hpp"
#include "support/scratch_folder.hpp"

#include <isotick/core/detail/reference.hpp>
#include <isotick/harness/detail/course.hpp>
#include <isotick/harness/record.hpp>
#include <isotick/harness/trial.hpp>

#include <algorithm>
#include <cstdint>
#include <fstream>
#include <iterator>
#include <string>

#include <gtest/gtest.h>

namespace isotick::tests {

class PeerTrial : public ::testing::Test {
  protected:
    void record(const isotick_simulation_table& table, std::uint64_t ticks,
                std::uint32_t hash_every = 1) {
        table_ = &table;
        harness::RecordPlan record;
        record.path = plan_.recording = folder_.file("s.isotick");
        record.setup.players = std::min(3U, table.info->most_players);
        record.inputs = harness::InputSource::random;
        record.sample_every_tick = true;
        record.ticks = ticks;
        record.hash_every = hash_every;
        record.overwrite = true;
        // Any bytes do: to learn how inputs are described would take longer than all else.
        isotick_simulation_table plain = table;
        isotick_info info = *table.info;
        info.capabilities &= ~ISOTICK_DESCRIBES_INPUTS;
        plain.info = &info;
        const auto recorded = run_record(record, plain, progress_);
        ASSERT_FALSE(recorded.error) << describe(*recorded.error);
    }

    void record(const char* simulation, std::uint64_t ticks, std::uint32_t hash_every = 1) {
        record(*core::find_simulation(simulation), ticks, hash_every);
    }

    // Makes the plan one of a peer with this course.
    void take(const harness::Course& course) {
        plan_.course.emplace(plan_.course.value_or(harness::CourseRequest()));
        plan_.course->path = folder_.file("course");
        const auto written = write_course(plan_.course->path, course);
        ASSERT_TRUE(written) << describe(written.error());
    }

    harness::TrialResult run() { return run_trial(plan_, *table_, progress_); }

    harness::TrialResult run(const harness::Course& course) {
        take(course);
        return run();
    }

    void set_environment(const char* key, const char* value) {
        ASSERT_TRUE(plan_.environment.set(key, value));
    }

    // A file that exists, for a trial to fill.
    std::string empty_file(const char* name) const {
        std::ofstream(folder_.file(name)).close();
        return folder_.file(name);
    }

    static std::string content(const std::string& path) {
        std::ifstream file(path, std::ios::binary);
        return {std::istreambuf_iterator<char>(file), {}};
    }

    ScratchFolder folder_;
    harness::Progress progress_;
    harness::TrialPlan plan_;
    const isotick_simulation_table* table_ = nullptr;
};

}  // namespace isotick::tests
