#include "mapped_memory.hpp"

#include <algorithm>
#include <charconv>
#include <fstream>
#include <string>
#include <system_error>

namespace isotick::harness {

std::vector<MappedRange> mapped_ranges() {
    std::vector<MappedRange> ranges;
    std::ifstream maps("/proc/self/maps");
    for (std::string line; std::getline(maps, line);) {
        MappedRange range;
        const char* const end = line.data() + line.size();
        const auto [dash, error] = std::from_chars(line.data(), end, range.begin, 16);
        if (error == std::errc() && dash != end &&
            std::from_chars(dash + 1, end, range.end, 16).ec == std::errc()) {
            ranges.push_back(range);
        }
    }
    return ranges;
}

bool is_address(std::uint64_t word, std::span<const MappedRange> mapped) {
    const std::uint64_t high = word >> 40U;
    return high == 0x55 || high == 0x56 || (high >= 0x7D && high <= 0x7F) ||
           std::ranges::any_of(mapped, [word](const MappedRange& range) {
               return word >= range.begin && word < range.end;
           });
}

}  // namespace isotick::harness
