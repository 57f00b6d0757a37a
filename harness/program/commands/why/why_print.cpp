// The page in each of its formats.

#include "../../json/json_pieces.hpp"
#include "../../output/markdown.hpp"
#include "../../output/text.hpp"
#include "why_page.hpp"

#include <fmt/format.h>

namespace isotick::program {
namespace {

constexpr std::size_t kWidth = 88;

// Lines of at most kWidth characters, broken at spaces, each but the first behind `indent`.
std::string wrapped(std::string_view text, std::size_t indent) {
    std::string lines;
    std::size_t column = 0;
    for (std::size_t from = 0; from < text.size();) {
        const std::size_t end = std::min(text.find(' ', from), text.size());
        const std::string_view word = text.substr(from, end - from);
        if (column != 0 && column + 1 + word.size() > kWidth) {
            lines += "\n" + std::string(indent, ' ');
            column = 0;
        }
        lines += (column == 0 ? "" : " ") + std::string(word);
        column += word.size() + 1;
        from = end + 1;
    }
    return lines;
}

std::string finding_text(const Finding& finding) {
    constexpr std::size_t kIndent = 16;
    return fmt::format("  {:<14}{}\n", finding.question,
                       wrapped(printable(finding.answer), kIndent));
}

Json findings_json(const std::vector<Finding>& findings) {
    Json json = Json::array();
    for (const Finding& finding : findings) {
        json.push_back({{"question", finding.question}, {"answer", finding.answer}});
    }
    return json;
}

}  // namespace

std::string page_text(const WhyPage& page) {
    std::string text = fmt::format("{}: {}.\n\n", printable(page.recording), page.title);
    for (const Finding& finding : page.findings) {
        text += finding_text(finding);
    }
    for (const Advice& advice : page.commands) {
        text += fmt::format("\n  {}\n    {}\n", advice.purpose, printable(advice.command));
    }
    text += page.details.empty() ? "\n" : page.details;
    for (const Finding& version : page.versions) {
        text += row(version.question, version.answer);
    }
    return text;
}

std::string page_markdown(const WhyPage& page) {
    std::string text = fmt::format("## {}\n\n{}\n\n", page.title, markdown_text(page.recording));
    for (const Finding& finding : page.findings) {
        text += fmt::format("- **{}**: {}\n", finding.question, markdown_text(finding.answer));
    }
    for (const Advice& advice : page.commands) {
        text += fmt::format("\n{}:\n\n{}", advice.purpose,
                            markdown_code("sh", printable(advice.command) + "\n"));
    }
    if (!page.details.empty()) {
        text += "\n<details><summary>The report</summary>\n\n" +
                markdown_code("text", page.details) + "\n</details>\n";
    }
    text += "\n";
    for (const Finding& version : page.versions) {
        text += fmt::format("- {}: {}\n", version.question, markdown_text(version.answer));
    }
    return text;
}

std::string page_json(const WhyPage& page) {
    Json commands = Json::array();
    for (const Advice& advice : page.commands) {
        commands.push_back({{"purpose", advice.purpose}, {"command", advice.command}});
    }
    Json smaller;
    if (page.smaller) {
        smaller = {{"ticks", page.smaller->ticks}, {"fails", page.smaller->fails}};
    }
    return document({{"recording", page.recording},
                     {"verdict", to_string(page.verdict)},
                     {"title", page.title},
                     {"findings", findings_json(page.findings)},
                     {"commands", std::move(commands)},
                     {"smallest", std::move(smaller)},
                     {"versions", findings_json(page.versions)},
                     {"details", page.details}});
}

}  // namespace isotick::program
