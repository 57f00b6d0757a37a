#include <isotick/core/detail/hashing/contiguous_probe.hpp>

#include <algorithm>
#include <bit>
#include <stdexcept>

namespace isotick::core::detail {
namespace {

std::string at_offset(std::size_t offset) {
    return " at byte " + std::to_string(offset);
}

}  // namespace

// Round 2k: the kth binary digit of each byte's offset; round 2k + 1: its complement.
bool fill_pattern(std::span<std::byte> bytes, unsigned round) {
    const unsigned digits = std::max(1U, static_cast<unsigned>(std::bit_width(bytes.size() - 1)));
    if (round > 2 * digits) {
        return false;
    }
    for (std::size_t i = 0; i < bytes.size(); ++i) {
        const std::size_t value =
            round == 2 * digits ? 37 * i + 11 : ((i >> (round / 2)) ^ round) & 1U;
        bytes[i] = static_cast<std::byte>(value & 0xffU);
    }
    return true;
}

void require_same_bytes(const char* type, std::span<const std::byte> memory,
                        std::span<const std::byte> hashed, std::size_t count) {
    const std::string subject = "ISOTICK_CONTIGUOUS(" + std::string(type) + ") is not true: ";
    const std::size_t common = std::min(memory.size(), count);
    for (std::size_t i = 0; i < common; ++i) {
        if (memory[i] != hashed[i]) {
            throw std::logic_error(subject + "its serialize and its memory differ" + at_offset(i) +
                                   " (padding, another order, or a member left out)");
        }
    }
    if (count != memory.size()) {
        throw std::logic_error(subject + "its serialize visits " + std::to_string(count) + " of " +
                               std::to_string(memory.size()) + " bytes; they part" +
                               at_offset(common));
    }
}

}  // namespace isotick::core::detail
