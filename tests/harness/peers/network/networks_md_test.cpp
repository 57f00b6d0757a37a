// NETWORKS.md shows what there is.

#include "random_spec.hpp"

#include <cctype>
#include <fstream>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace isotick::harness {
namespace {

using tests::any_trace;
using tests::take;

std::vector<std::string> lines() {
    std::ifstream file(ISOTICK_NETWORKS_MD);
    std::vector<std::string> result;
    for (std::string line; std::getline(file, line);) {
        result.push_back(line);
    }
    return result;
}

/// The lines inside its blocks marked `kind`.
std::vector<std::string> block_lines(const std::string& kind) {
    std::vector<std::string> result;
    bool is_inside = false;
    for (const std::string& line : lines()) {
        if (line.starts_with("```")) {
            is_inside = line == "```" + kind;
        } else if (is_inside) {
            result.push_back(line);
        }
    }
    return result;
}

/// The cells of a row of a table, in lower case, without blanks, quotes and `/s`.
std::vector<std::string> cells(const std::string& line) {
    std::vector<std::string> result;
    for (const char each : line) {
        if (each == '|') {
            result.emplace_back();
        } else if (!result.empty() && each != ' ' && each != '`') {
            result.back() += static_cast<char>(std::tolower(static_cast<unsigned char>(each)));
        }
    }
    for (std::string& each : result) {
        each = each.ends_with("/s") ? each.substr(0, each.size() - 2) : each;
    }
    return result;
}

TEST(NetworksMd, EveryExampleParses) {
    const auto examples = block_lines("network");
    EXPECT_GT(examples.size(), 8U);
    for (const std::string& each : examples) {
        EXPECT_TRUE(NetworkSpec::parse(each, any_trace)) << each;
    }
}

TEST(NetworksMd, HasTheFiguresOfEveryProfile) {
    std::set<std::string> names;
    for (const std::string& line : lines()) {
        const auto row = cells(line);
        const auto profile = row.size() == 9 ? NetworkSpec::parse(row[0])
                                             : core::fail(core::ErrorCode::usage, "no profile");
        if (!profile) {
            continue;
        }
        const std::string delay = row[1] == "0" ? "0ms" : row[1];
        const std::string text = "delay=" + delay + " loss=" + row[2] + " burst=" + row[3] +
                                 " dup=" + row[4] + " reorder=" + row[5] + " rate=" + row[6] +
                                 " queue=" + row[7];
        EXPECT_EQ(take(NetworkSpec::parse(text)), *profile) << line;
        names.insert(row[0]);
    }
    EXPECT_EQ(names.size(), 6U);
}

}  // namespace
}  // namespace isotick::harness
