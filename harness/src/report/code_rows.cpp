#include "code_rows.hpp"

#include "../system/rows.hpp"
#include "../system/site_names.hpp"

#include <isotick/core/detail/text.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace isotick::harness {
namespace {

std::string change_text(const StateWrite& write) {
    if (write.before.empty() && write.after.empty()) {
        return "changes " + write.path;
    }
    const std::string sets = fmt::format("sets {} to {}", write.path, write.after);
    return write.before.empty() ? sets : fmt::format("{} (was {})", sets, write.before);
}

const char* deed_of(ValueOrigin::Kind kind) {
    switch (kind) {
        case ValueOrigin::Kind::memory:
            return "reads memory not written earlier in this tick";
        case ValueOrigin::Kind::earlier:
            return "reads a value that already differed";
        case ValueOrigin::Kind::address:
            return "compares addresses or uses an address as a number";
        case ValueOrigin::Kind::processor:
            return "asks the processor for the time or for random numbers";
        case ValueOrigin::Kind::system:
            return "makes a system call or reads memory that one may have written";
    }
    return "";
}

std::string writer_text(const StateWrite& write) {
    return write.code.empty() ? "unknown code" : code_text(write.code);
}

}  // namespace

std::string write_text(const PartingWrite& write, std::string_view other) {
    const auto& [before, after, unknown, origin] = write;
    if (!unknown.empty()) {
        return "";
    }
    if (!after) {
        return fmt::format("{}; first difference: only in {}, this code {} here",
                           writer_text(*before), other, change_text(*before));
    }
    const std::string made =
        fmt::format("{}; first difference: this code {}", writer_text(*after), change_text(*after));
    if (!before) {
        return fmt::format("{}; in {}, it makes no such write here", made, other);
    }
    const bool is_same = before->code == after->code && before->path == after->path;
    if (is_same) {
        return before->after.empty() || before->after == after->after
                   ? fmt::format("{}; in {}, this write is different", made, other)
                   : fmt::format("{}; in {}, it sets {}", made, other, before->after);
    }
    return fmt::format("{}; instead, {} {} in {}", made, other, change_text(*before),
                       writer_text(*before));
}

std::string origin_text(const PartingWrite& write) {
    if (!write.origin) {
        return "";
    }
    const ValueOrigin& origin = *write.origin;
    const StateWrite& shown = write.after ? *write.after : *write.before;
    const std::string code = shown.code == origin.code ? "the same code, which "
                                                       : code_text(origin.code) + "; this code ";
    return code + (origin.called.empty() ? "" : fmt::format("calls {}, which ", origin.called)) +
           deed_of(origin.kind);
}

namespace {

constexpr std::size_t kMostShownDraws = 6;

using Draw = Draws::Draw;

std::string_view call_name(Activity activity) {
    return activity == Activity::rendering         ? " in render"
           : activity == Activity::beginning_frame ? " in begin_frame"
           : activity == Activity::restoring       ? " in load"
                                                   : "";
}

// `13      computed only  Renderer::sparks (render.cpp:88)`
std::string draw_line(const Draw& draw, std::uint64_t first, std::uint64_t times,
                      std::size_t own_functions) {
    const std::string numbers =
        times == 1 ? std::to_string(first) : fmt::format("{}-{}", first, first + times - 1);
    const std::string_view side = draw.side == Draws::Side::both     ? "both"
                                  : draw.side == Draws::Side::before ? "recorded only"
                                                                     : "computed only";
    const std::string code = code_text(std::span(draw.code).subspan(own_functions));
    return fmt::format("{:<7} {:<13}  {}{}", numbers, side, code.empty() ? "unknown code" : code,
                       call_name(draw.during));
}

// Draws in a row that are alike are one line. What only the recorded side makes has its number
// there.
std::vector<std::string> draw_lines(const Draws& draws) {
    std::vector<std::string> lines;
    std::uint64_t before = draws.same;
    std::uint64_t after = draws.same;
    std::span<const Draw> left = draws.draws;
    while (!left.empty() && lines.size() < kMostShownDraws) {
        const auto end = std::ranges::find_if(
            left, [&left](const Draw& draw) { return !(draw == left.front()); });
        const auto times = static_cast<std::size_t>(end - left.begin());
        const bool is_before = left.front().side == Draws::Side::before;
        lines.push_back(
            draw_line(left.front(), (is_before ? before : after) + 1, times, draws.own_functions));
        before += left.front().side == Draws::Side::after ? 0 : times;
        after += is_before ? 0 : times;
        left = left.subspan(times);
    }
    if (!left.empty()) {
        lines.push_back(fmt::format("… and {} more", left.size()));
    }
    return lines;
}

}  // namespace

PageRow draws_row(const Draws& draws) {
    PageRow row{"draws", {}};
    if (!draws.unknown.empty()) {
        row.text = fmt::format("of {}: unknown: {}", draws.of, draws.unknown);
        return row;
    }
    const std::string counts =
        fmt::format("of {}: {} recorded, {} computed", draws.of, draws.before, draws.after);
    const std::string more = draws.cut ? "; there may be more" : "";
    if (draws.draws.empty()) {
        row.text = counts + "; all are the same" + more;
        return row;
    }
    const bool is_same_code = std::ranges::all_of(
        draws.draws, [](const Draw& draw) { return draw.side == Draws::Side::both; });
    const std::string same = draws.same == 0 ? ""
                             : draws.same == 1
                                 ? "; the first is the same"
                                 : fmt::format("; the first {} are the same", draws.same);
    row.text = counts + same + (is_same_code ? "; the same code makes the others, too" : "") + more;
    row.lines = draw_lines(draws);
    return row;
}

}  // namespace isotick::harness
