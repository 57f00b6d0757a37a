#include "plainer_inputs.hpp"

namespace isotick::harness {
namespace {

// More than this, and trying each byte takes longer than looking at them.
constexpr std::size_t kMostBytes = 64;

}  // namespace

std::vector<std::vector<std::uint8_t>> plainer_inputs(const NeededInput& needed) {
    const std::vector<std::uint8_t>& bytes = needed.bytes;
    const bool held = needed.held && needed.held->size() == bytes.size();
    const std::vector<std::uint8_t> plainest =
        held ? *needed.held : std::vector<std::uint8_t>(bytes.size(), 0);
    std::vector<std::vector<std::uint8_t>> variants;
    if (bytes == plainest) {
        return variants;
    }
    variants.push_back(plainest);
    for (std::size_t i = 0; i < bytes.size() && bytes.size() <= kMostBytes; ++i) {
        if (bytes[i] != plainest[i]) {
            variants.push_back(bytes);
            variants.back()[i] = plainest[i];
        }
    }
    if (variants.size() == 2) {
        variants.pop_back();  // the only byte that differs: the plainest again
    }
    return variants;
}

}  // namespace isotick::harness
