// The axis `cpu`: processors that lack what this one has, as far as glibc chooses by it among its
// own functions. Those of libm round otherwise where they fuse multiplications and additions, so
// that sin, exp and pow have other last bits on another machine. Code that was compiled for this
// processor, or asks it by itself, notices nothing.

#include "axis.hpp"

#include <algorithm>
#include <array>

namespace isotick::harness {
namespace {

struct Processor {
    std::string_view name;
    std::string_view lacks;  ///< in the words of glibc.cpu.hwcaps; those of glibc before 2.33 too
};

// The plainest first: what lacks least.
constexpr std::array kProcessors{
    Processor{"no-avx512", "-AVX512F,-AVX512VL,-AVX512BW,-AVX512F_Usable,-AVX512VL_Usable"},
    Processor{"no-fma", "-FMA,-FMA4,-AVX2,-FMA_Usable,-FMA4_Usable,-AVX2_Usable"},
    Processor{"baseline",
              "-AVX512F,-AVX512VL,-AVX512BW,-AVX512F_Usable,-AVX512VL_Usable,-FMA,-FMA4,-AVX2,"
              "-FMA_Usable,-FMA4_Usable,-AVX2_Usable,-AVX,-AVX_Usable,-SSE4_2,-SSE4_1,-SSSE3,"
              "-ERMS"}};

const Processor* find(std::string_view value) {
    const auto* const found = std::ranges::find(kProcessors, value, &Processor::name);
    return found == kProcessors.end() ? nullptr : found;
}

core::Result<void> check_value(std::string_view value) {
    return find(value) != nullptr ? core::Result<void>()
                                  : core::fail(core::ErrorCode::usage,
                                               "expected no-avx512, no-fma or baseline, not '" +
                                                   std::string(value) + "'");
}

std::string draw(core::Pcg32& random) {
    return std::string(
        kProcessors[random.below(static_cast<std::uint32_t>(kProcessors.size()))].name);
}

bool is_felt(std::string_view value) {
#if defined(__x86_64__) && defined(__GLIBC__)
    __builtin_cpu_init();
    return value == "no-avx512" ? __builtin_cpu_supports("avx512f") != 0
           : value == "no-fma"  ? __builtin_cpu_supports("fma") != 0
                                : __builtin_cpu_supports("sse4.1") != 0;
#else
    (void)value;
    return false;
#endif
}

std::vector<std::string> plainer(std::string_view value) {
    std::vector<std::string> values;
    for (const Processor* one = kProcessors.data(); one != find(value); ++one) {
        values.emplace_back(one->name);
    }
    return values;
}

void to_process(std::string_view value, ProcessSetup& process) {
    process.tune("glibc.cpu.hwcaps", find(value)->lacks);
}

constexpr std::array<std::string_view, 2> kElsewhere{"no-fma", "baseline"};

}  // namespace

extern const Axis kCpuAxis;
const Axis kCpuAxis{.name = "cpu",
                    .varies = "the processor that glibc chooses its functions for",
                    .check = check_value,
                    .draw = draw,
                    .is_felt = is_felt,
                    .plainer = plainer,
                    .to_process = to_process,
                    .elsewhere = kElsewhere,
                    .stands_for = "libm's code for other processors"};

}  // namespace isotick::harness
