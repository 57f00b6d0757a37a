#include "commit_write.hpp"

#include <isotick/core/detail/try.hpp>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <string_view>
#include <system_error>
#include <utility>

namespace isotick::harness::bisect {
namespace {

using core::Result;

// `12` or `12,3`: what stands in the head of a hunk.
LineRange parse_range(std::string_view text) {
    LineRange range{0, 1};
    const char* const end = text.data() + text.size();
    const auto [comma, error] = std::from_chars(text.data(), end, range.first);
    if (error == std::errc() && comma != end && *comma == ',') {
        std::from_chars(comma + 1, end, range.count);
    }
    return range;
}

// Of `@@ -12,3 +12 @@ int main()`: what begins with that sign, up to the blank.
std::string_view between(std::string_view head, char sign) {
    const std::size_t begin = head.find(std::string(1, ' ') + sign);
    return begin == std::string_view::npos
               ? std::string_view()
               : head.substr(begin + 2, head.find(' ', begin + 2) - begin - 2);
}

// The path of a line such as `+++ b/src/game.cpp`; empty: there is no file on this side.
std::string path_in(const std::string& line, std::string_view prefix) {
    const std::string_view rest = std::string_view(line).substr(4);
    return rest.starts_with(prefix) ? std::string(rest.substr(prefix.size())) : "";
}

void add(ChangedFiles& files, const std::string& path, const LineRange& range) {
    if (!path.empty() && range.count > 0) {
        files[path].push_back(range);
    }
}

bool has_line(const std::vector<LineRange>& ranges, std::uint64_t line) {
    return std::ranges::any_of(ranges, [line](const LineRange& range) {
        return line >= range.first && line - range.first < range.count;
    });
}

}  // namespace

ChangedLines changed_lines(const std::string& diff) {
    ChangedLines changed;
    std::string before;
    std::string after;
    std::uint64_t content = 0;  // lines of the hunk that are still to come
    for (const std::string& line : lines_of(diff)) {
        if (line.starts_with('\\')) {  // no line feed at the end of the file
            continue;
        }
        if (content > 0) {
            --content;
        } else if (line.starts_with("--- ")) {
            before = path_in(line, "a/");
        } else if (line.starts_with("+++ ")) {
            after = path_in(line, "b/");
        } else if (line.starts_with("@@ ")) {
            const LineRange old_lines = parse_range(between(line, '-'));
            const LineRange new_lines = parse_range(between(line, '+'));
            add(changed.before, before, old_lines);
            add(changed.after, after, new_lines);
            content = old_lines.count + new_lines.count;
        }
    }
    return changed;
}

std::optional<CodePlace> innermost_changed(const std::vector<CodePlace>& code,
                                           const ChangedFiles& files) {
    const auto is_changed = [&files](const CodePlace& place) {
        const auto file = files.find(place.file);
        return file != files.end() && has_line(file->second, place.line);
    };
    const auto found = std::ranges::find_if(code, is_changed);
    return found == code.end() ? std::nullopt : std::optional(*found);
}

namespace {

using core::Result;

// As in the repository: a build is made in a folder of its own. Files elsewhere keep their paths.
void name_as_in_repository(std::vector<CodePlace>& code, const Build& build) {
    namespace fs = std::filesystem;
    const fs::path sources = fs::path(build.folder) / "src";
    std::error_code ignored;
    for (CodePlace& place : code) {
        const fs::path file = fs::path(place.file).lexically_normal();
        for (const fs::path& folder : {sources, fs::weakly_canonical(sources, ignored)}) {
            const fs::path within = file.lexically_relative(folder.lexically_normal());
            if (!within.empty() && *within.begin() != "..") {
                place.file = within.string();
            }
        }
        if (file.is_relative()) {  // the compiler was told to leave out the folder
            place.file = file.string();
        }
    }
}

}  // namespace

Result<std::optional<CommitWrite>> find_commit_write(Trying& trying, const Judge& judge,
                                                     const std::string& commit,
                                                     std::uint64_t most) {
    ISOTICK_TRY_ASSIGN(const auto parent, trying.history().parent_of(commit));
    if (!parent) {
        return std::nullopt;
    }
    ISOTICK_TRY_ASSIGN(const Build right, trying.built(*parent));
    ISOTICK_TRY_ASSIGN(const Build wrong, trying.built(commit));
    if (right.end != BuildEnd::built || wrong.end != BuildEnd::built) {
        return std::nullopt;
    }
    const auto facts =
        facts_from_worker(SimulationName::chosen(wrong.simulation), trying.plan().judge.worker);
    if (!facts || (facts->capabilities & ISOTICK_HAS_MEMORY) == 0) {
        return std::nullopt;
    }
    ISOTICK_TRY_ASSIGN(const Judge beside, judge.against(SimulationName::chosen(right.simulation)));
    ISOTICK_TRY_ASSIGN(auto judged, beside.judge(SimulationName::chosen(wrong.simulation), most));
    if (!judged.write || !judged.write->unknown.empty()) {
        return std::nullopt;
    }
    CommitWrite found{*std::move(judged.write)};
    for (auto& [write, build] :
         {std::pair(&found.write.before, &right), std::pair(&found.write.after, &wrong)}) {
        if (*write) {
            name_as_in_repository((*write)->code, *build);
        }
    }
    ISOTICK_TRY_ASSIGN(const auto diff, trying.history().diff(*parent, commit));
    const ChangedLines changed = changed_lines(diff);
    found.changed = found.write.after ? innermost_changed(found.write.after->code, changed.after)
                                      : innermost_changed(found.write.before->code, changed.before);
    return found;
}

}  // namespace isotick::harness::bisect
