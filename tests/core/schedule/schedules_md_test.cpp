#include "schedule_support.hpp"

#include <isotick/core/detail/captured_frames.hpp>

#include <fstream>
#include <set>
#include <string>

namespace isotick::core {
namespace {

/// The lines inside SCHEDULES.md's blocks marked `schedule`.
std::vector<std::string> examples() {
    std::ifstream file(ISOTICK_SCHEDULES_MD);
    std::vector<std::string> result;
    bool is_inside = false;
    for (std::string line; std::getline(file, line);) {
        if (line.starts_with("```")) {
            is_inside = line == "```schedule";
        } else if (is_inside) {
            result.push_back(line);
        }
    }
    return result;
}

/// The files that the examples name last twenty seconds.
Result<std::shared_ptr<const CapturedFrames>> any_capture(const std::string& /*path*/) {
    return CapturedFrames::own({5'000'000'000, 10'000'000'000, 20'000'000'000});
}

TEST(SchedulesMd, EveryExampleParses) {
    for (const std::string& each : examples()) {
        EXPECT_TRUE(Schedule::parse(each, any_capture)) << each;
    }
}

TEST(SchedulesMd, ShowsEveryKind) {
    std::set<FrameKind> kinds;
    for (const std::string& each : examples()) {
        const Schedule parsed = Schedule::parse(each, any_capture).value();
        for (const ScheduleItem& item : parsed.items()) {
            kinds.insert(item.kind);
        }
    }
    EXPECT_EQ(kinds.size(), static_cast<std::size_t>(FrameKind::capture) + 1);
}

}  // namespace
}  // namespace isotick::core
