// What calls of xxHash leave behind in the processor.

#include <isotick/core/hash.hpp>

#include <cstddef>
#include <functional>
#include <optional>
#include <vector>

#include <gtest/gtest.h>

#if defined(__x86_64__) && defined(__GNUC__)
#include <cpuid.h>
#include <immintrin.h>
#endif

namespace isotick::core {
namespace {

#if defined(__x86_64__) && defined(__GNUC__)

bool can_tell() {
    unsigned a = 0;
    unsigned b = 0;
    unsigned c = 0;
    unsigned d = 0;
    constexpr unsigned kReadsUse = 1U << 2U;
    return __builtin_cpu_supports("avx") && __get_cpuid_count(0xd, 1, &a, &b, &c, &d) != 0 &&
           (a & kReadsUse) != 0;
}

bool wide_in_use() {
    unsigned low = 0;
    unsigned high = 0;
    asm volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(1));
    constexpr unsigned kUpperHalves = 1U << 2U;
    return (low & kUpperHalves) != 0;
}

__attribute__((target("avx"))) void clear_wide() {
    _mm256_zeroupper();
}

__attribute__((target("avx"))) void use_wide() {
    asm volatile("vcmpps $15, %%ymm0, %%ymm0, %%ymm0" ::: "xmm0");
}

// None where the processor does not tell.
std::optional<bool> leaves_wide_in_use(const std::function<void()>& call) {
    if (!can_tell()) {
        return std::nullopt;
    }
    use_wide();
    const bool used = wide_in_use();
    clear_wide();
    if (!used || wide_in_use()) {
        return std::nullopt;
    }
    call();
    return wide_in_use();
}

#else

std::optional<bool> leaves_wide_in_use(const std::function<void()>&) {
    return std::nullopt;
}

#endif

class WideVectors : public testing::Test {
  protected:
    void expect_none_in_use(const std::function<void()>& call) {
        const auto in_use = leaves_wide_in_use(call);
        if (!in_use) {
            GTEST_SKIP() << "this processor does not tell";
        }
        EXPECT_FALSE(*in_use);
    }

    // Short ones, those around a block of the streams' buffer, and long ones.
    const std::vector<std::size_t> sizes_{0, 8, 241, 255, 256, 257, 600, 4096, 1'000'000};
};

// Else all SSE code in the process runs several times slower from then on.
TEST_F(WideVectors, AreNotInUseAfterHashingBytes) {
    for (const std::size_t size : sizes_) {
        SCOPED_TRACE(size);
        const std::vector<std::byte> bytes(size);
        expect_none_in_use([&] { static_cast<void>(hash_bytes(bytes)); });
    }
}

TEST_F(WideVectors, AreNotInUseAfterHashingAStream) {
    StreamHasher hasher;
    for (const std::size_t size : sizes_) {
        SCOPED_TRACE(size);
        const std::vector<std::byte> bytes(size);
        expect_none_in_use([&] { hasher.update(bytes); });
        expect_none_in_use([&] { static_cast<void>(hasher.value()); });
    }
}

TEST_F(WideVectors, AreNotInUseAfterDigestingAStream) {
    StreamDigester digester;
    for (const std::size_t size : sizes_) {
        SCOPED_TRACE(size);
        const std::vector<std::byte> bytes(size);
        expect_none_in_use([&] { digester.update(bytes); });
        expect_none_in_use([&] { static_cast<void>(digester.value()); });
    }
}

}  // namespace
}  // namespace isotick::core
