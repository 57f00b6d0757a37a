#include "git_search.hpp"

#include <isotick/core/detail/try.hpp>

#include <algorithm>
#include <array>
#include <deque>
#include <fstream>
#include <sstream>
#include <string_view>

namespace isotick::harness::bisect {
namespace {

using core::Result;

// In the log, behind these, stands a commit in brackets.
constexpr std::array<std::string_view, 4> kFound{
    "# first bad commit: [", "# possible first bad commit: [", "# first new commit: [",
    "# possible first new commit: ["};
constexpr int kOnlySkipped = 2;  // git's exit code where only skipped commits are left

const char* word_of(Mark mark, bool for_fix) {
    switch (mark) {
        case Mark::good:
            return for_fix ? "old" : "good";
        case Mark::bad:
            return for_fix ? "new" : "bad";
        case Mark::skip:
            break;
    }
    return "skip";
}

std::vector<std::string> found_in(const std::string& log) {
    std::vector<std::string> found;
    for (const std::string& line : lines_of(log)) {
        for (const std::string_view begin : kFound) {
            if (line.starts_with(begin)) {
                found.push_back(line.substr(begin.size(), line.find(']') - begin.size()));
            }
        }
    }
    return found;
}

}  // namespace

Result<GitSearch> GitSearch::start(const History& history, const SearchRange& range) {
    const Git& git = history.clone();
    ISOTICK_TRY(git.ask({"update-ref", "--no-deref", "HEAD", range.bad}));
    ISOTICK_TRY(git.call({"bisect", "reset"}));
    ISOTICK_TRY(git.ask({"update-ref", "--no-deref", "HEAD", range.bad}));
    std::vector<std::string> words{"bisect", "start", "--no-checkout"};
    if (range.first_parent) {
        words.emplace_back("--first-parent");
    }
    if (range.for_fix) {
        words.insert(words.end(), {"--term-old", "old", "--term-new", "new"});
    }
    words.insert(words.end(), {range.bad, range.good, "--"});
    words.insert(words.end(), range.paths.begin(), range.paths.end());
    GitSearch search(history, range);
    ISOTICK_TRY_ASSIGN(const auto said, git.call(words));
    ISOTICK_TRY(search.look(said));
    return search;
}

Result<void> GitSearch::mark(const std::string& commit, Mark mark) {
    ISOTICK_TRY_ASSIGN(const auto said,
                       history_.clone().call({"bisect", word_of(mark, range_.for_fix), commit}));
    return look(said);
}

Result<void> GitSearch::look(const GitResult& said) {
    if (said.code != 0 && said.code != kOnlySkipped) {
        const auto lines = lines_of(said.errors.empty() ? said.out : said.errors);
        return core::fail(core::ErrorCode::usage,
                          "git bisect: " + (lines.empty() ? "failed" : lines.front()));
    }
    ISOTICK_TRY_ASSIGN(const auto text, log());
    state_ = {{}, found_in(text)};
    if (!state_.found.empty()) {
        return {};
    }
    ISOTICK_TRY_ASSIGN(state_.candidate,
                       history_.clone().ask({"rev-parse", "--verify", "BISECT_HEAD"}));
    return {};
}

Result<std::string> GitSearch::middle(const std::string& bad,
                                      const std::vector<std::string>& good) const {
    std::vector<std::string> words{"rev-list", "--bisect"};
    if (range_.first_parent) {
        words.emplace_back("--first-parent");
    }
    words.push_back(bad);
    words.emplace_back("--not");
    words.push_back(std::string("--glob=refs/bisect/") + word_of(Mark::good, range_.for_fix) +
                    "-*");
    words.insert(words.end(), good.begin(), good.end());
    words.emplace_back("--");
    words.insert(words.end(), range_.paths.begin(), range_.paths.end());
    return history_.clone().ask(words);
}

Result<std::vector<std::string>> GitSearch::likely(std::size_t count) const {
    struct Ahead {
        std::string bad;
        std::vector<std::string> good;
        std::string candidate;
    };
    std::vector<std::string> commits{state_.candidate};
    std::deque<Ahead> ahead{
        {std::string("refs/bisect/") + word_of(Mark::bad, range_.for_fix), {}, state_.candidate}};
    while (!ahead.empty() && commits.size() < count) {
        const Ahead one = std::move(ahead.front());
        ahead.pop_front();
        std::vector<std::string> more_good = one.good;
        more_good.push_back(one.candidate);
        for (Ahead next : {Ahead{one.candidate, one.good, ""}, Ahead{one.bad, more_good, ""}}) {
            ISOTICK_TRY_ASSIGN(next.candidate, middle(next.bad, next.good));
            if (!next.candidate.empty() && next.candidate != next.bad && commits.size() < count &&
                std::ranges::count(commits, next.candidate) == 0) {
                commits.push_back(next.candidate);
                ahead.push_back(std::move(next));
            }
        }
    }
    return commits;
}

Result<std::string> GitSearch::log() const {
    std::ifstream file(history_.clone_folder() + "/BISECT_LOG", std::ios::binary);
    std::ostringstream text;
    text << file.rdbuf();
    return file ? Result<std::string>(text.str())
                : core::fail(core::ErrorCode::io, "git bisect left no log");
}

}  // namespace isotick::harness::bisect
