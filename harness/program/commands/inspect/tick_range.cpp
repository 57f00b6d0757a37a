#include "tick_range.hpp"

#include <charconv>
#include <string_view>

#include <fmt/format.h>

namespace isotick::program {
namespace {

using core::Result;

tl::unexpected<core::Error> refuse(const std::string& why) {
    return core::fail(core::ErrorCode::usage, "--ticks: " + why);
}

bool read_tick(std::string_view text, std::optional<std::uint64_t>& tick) {
    std::uint64_t value = 0;
    const char* const text_end = text.data() + text.size();
    const auto [end, error] = std::from_chars(text.data(), text_end, value);
    tick = value;
    return error == std::errc() && end == text_end;
}

}  // namespace

Result<TickRangeText> TickRangeText::parse(const std::string& text) {
    constexpr std::string_view kDots = "..";
    const std::string_view view = text;
    const std::size_t dots = view.find(kDots);
    TickRangeText range;
    bool read = true;
    if (dots == std::string_view::npos) {
        read = read_tick(view, range.first);
        range.last = range.first;
    } else {
        const std::string_view first = view.substr(0, dots);
        const std::string_view last = view.substr(dots + kDots.size());
        read = (first.empty() || read_tick(first, range.first)) &&
               (last.empty() || read_tick(last, range.last));
    }
    if (!read) {
        return refuse("'" + text + "' is not a range of ticks; write 10..20, 10.., ..20 or 10");
    }
    if (range.first && range.last && *range.first > *range.last) {
        return refuse(fmt::format("'{}' ends before it begins; write {}..{}", text, *range.last,
                                  *range.first));
    }
    return range;
}

Result<replay::TickRange> TickRangeText::within(const replay::TickRange& recording) const {
    const std::uint64_t begin = recording.first.value;
    const std::uint64_t end = recording.end.value;
    if (begin == end) {
        if (!first && !last) {
            return recording;
        }
        return refuse("no tick of the recording can be read");
    }
    const std::uint64_t wanted_first = first.value_or(begin);
    const std::uint64_t wanted_last = last.value_or(end - 1);
    if (wanted_first < begin || wanted_last >= end || wanted_first >= end || wanted_last < begin) {
        return refuse(fmt::format("the recording has ticks {} to {}", begin, end - 1));
    }
    return replay::TickRange{{wanted_first}, {wanted_last + 1}};
}

}  // namespace isotick::program
