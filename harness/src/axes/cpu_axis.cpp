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

const Processor* find_cpu(std::string_view value) {
    const auto* const found = std::ranges::find(kProcessors, value, &Processor::name);
    return found == kProcessors.end() ? nullptr : found;
}

core::Result<void> check_cpu(std::string_view value) {
    return find_cpu(value) != nullptr ? core::Result<void>()
                                      : core::fail(core::ErrorCode::usage,
                                                   "expected no-avx512, no-fma or baseline, not '" +
                                                       std::string(value) + "'");
}

std::string draw_cpu(core::Pcg32& random) {
    return std::string(
        kProcessors[random.below(static_cast<std::uint32_t>(kProcessors.size()))].name);
}

std::string why_no_cpu([[maybe_unused]] std::string_view value) {
#if defined(__x86_64__) && defined(__GLIBC__)
    __builtin_cpu_init();
    const bool has_it = value == "no-avx512" ? __builtin_cpu_supports("avx512f") != 0
                        : value == "no-fma"  ? __builtin_cpu_supports("fma") != 0
                                             : __builtin_cpu_supports("sse4.1") != 0;
    return has_it ? "" : "this processor lacks that anyway";
#else
    return "glibc does not choose by processor here";
#endif
}

std::vector<std::string> plainer_cpu(std::string_view value) {
    std::vector<std::string> values;
    for (const Processor* one = kProcessors.data(); one != find_cpu(value); ++one) {
        values.emplace_back(one->name);
    }
    return values;
}

void cpu_to_process(std::string_view value, ProcessSetup& process) {
    process.tune("glibc.cpu.hwcaps", find_cpu(value)->lacks);
}

constexpr std::array<std::string_view, 2> kCpuElsewhere{"no-fma", "baseline"};

}  // namespace

extern const Axis kCpuAxis;
const Axis kCpuAxis{.name = "cpu",
                    .varies = "the processor that glibc chooses its functions for",
                    .check = check_cpu,
                    .draw = draw_cpu,
                    .why_not_here = why_no_cpu,
                    .plainer = plainer_cpu,
                    .to_process = cpu_to_process,
                    .elsewhere = kCpuElsewhere,
                    .stands_for = "libm's code for other processors"};

}  // namespace isotick::harness
