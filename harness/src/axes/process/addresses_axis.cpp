// The axis `addresses`: `fixed`, without the random places of address space layout randomization,
// as under a debugger; `upward`, mappings that grow towards higher addresses, each behind the last,
// as the system places them for programs with an unlimited stack. Random places, which other
// processes have at each start, are what every trial in a process of its own has anyway.

#include "../../platform/processes/personality.hpp"
#include "../axis.hpp"

#include <algorithm>
#include <array>

namespace isotick::harness {
namespace {

struct Layout {
    std::string_view name;
    unsigned long personality;
};

constexpr std::array kLayouts{Layout{"fixed", kFixedAddresses}, Layout{"upward", kLegacyAddresses}};

const Layout* find_addresses(std::string_view value) {
    const auto* const found = std::ranges::find(kLayouts, value, &Layout::name);
    return found == kLayouts.end() ? nullptr : found;
}

core::Result<void> check_addresses(std::string_view value) {
    return find_addresses(value) != nullptr
               ? core::Result<void>()
               : core::fail(core::ErrorCode::usage,
                            "expected fixed or upward, not '" + std::string(value) + "'");
}

// Fixed addresses are one of the places that random ones come to.
std::string draw_addresses(core::Pcg32&) {
    return std::string(kLayouts.back().name);
}

// ThreadSanitizer and MemorySanitizer want a layout of their own.
std::string why_no_addresses([[maybe_unused]] std::string_view value) {
#if defined(__SANITIZE_THREAD__)
    return "ThreadSanitizer has a layout of its own";
#else
    return LentPersonality(find_addresses(value)->personality).is_lent()
               ? ""
               : "the system does not permit it";
#endif
}

void addresses_to_process(std::string_view value, ProcessSetup& process) {
    process.personality |= find_addresses(value)->personality;
}

}  // namespace

extern const Axis kAddressesAxis;
const Axis kAddressesAxis{.name = "addresses",
                          .varies = "where the system places memory (Linux)",
                          .check = check_addresses,
                          .draw = draw_addresses,
                          .by_default = true,
                          .why_not_here = why_no_addresses,
                          .to_process = addresses_to_process};

}  // namespace isotick::harness
