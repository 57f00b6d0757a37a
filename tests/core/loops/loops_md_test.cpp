// The examples in LOOPS.md.

#include "loops_support.hpp"

#include <fstream>
#include <set>
#include <string>

namespace isotick::core {
namespace {

/// The lines inside LOOPS.md's blocks marked `loop`.
std::vector<std::string> examples() {
    std::ifstream file(ISOTICK_LOOPS_MD);
    std::vector<std::string> result;
    bool is_inside = false;
    for (std::string line; std::getline(file, line);) {
        if (line.starts_with("```")) {
            is_inside = line == "```loop";
        } else if (is_inside) {
            result.push_back(line);
        }
    }
    return result;
}

TEST(LoopsMd, EveryExampleIsALoop) {
    for (const std::string& each : examples()) {
        EXPECT_EQ(refusal(options_of(each), "60hz"), "none") << each;
        EXPECT_EQ(to_string(options_of(each)), each);
    }
}

TEST(LoopsMd, ShowsEveryKindAndEveryOption) {
    std::set<LoopKind> kinds;
    std::string all;
    for (const std::string& each : examples()) {
        kinds.insert(options_of(each).kind);
        all += each + "\n";
    }
    EXPECT_EQ(kinds.size(), loops().size());
    for (const LoopInfo& info : loops()) {
        for (const std::string_view option : info.options) {
            EXPECT_NE(all.find(std::string(option) + "="), std::string::npos) << option;
        }
    }
}

}  // namespace
}  // namespace isotick::core
