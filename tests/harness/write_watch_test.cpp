// A watch on memory: which writes it notes, in which order, and from where they come.

#include "system/write_watch.hpp"

#include "system/site_names.hpp"
#include "system/untraced.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <csetjmp>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <numeric>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

// Not isotick's own, which are left out where code is named.
namespace game {
namespace {

[[gnu::noinline]] void write_from_here(std::uint32_t& value) {
    asm volatile("incl %0" : "+m"(value));
}

[[gnu::noinline]] void write_twice_by_way_of(std::uint32_t& value) {
    write_from_here(value);
    write_from_here(value);
    asm volatile("");  // no tail call
}

}  // namespace
}  // namespace game

namespace isotick::harness {
namespace {

// Whole pages, so that nothing else is written there unless a test does it.
struct alignas(4096) Pages {
    std::array<std::byte, 4096 * 3> bytes{};
};

template <class T>
WatchedMemory memory_of(T& value) {
    return {reinterpret_cast<std::byte*>(&value), sizeof(T)};
}

class WriteWatchTest : public testing::Test {
  protected:
    void SetUp() override {
        if (!WriteWatch::is_possible()) {
            GTEST_SKIP() << "not on this system";
        }
    }

    template <class T>
    T& value_at(std::size_t offset) {
        return *reinterpret_cast<T*>(&pages_->bytes[offset]);
    }

    WriteWatch watch(std::vector<WatchedMemory> memory,
                     const WatchLimits& limits = {.writes = 10'000, .traps = 100'000}) {
        return {memory, limits, tag_};
    }

    std::unique_ptr<Pages> pages_ = std::make_unique<Pages>();
    std::atomic<std::uint32_t> tag_{0};
};

template <class T>
void write(T& to, T value) {
    *const_cast<volatile T*>(&to) = value;
}

using Write = MemoryWrite;

TEST_F(WriteWatchTest, NotesWhatChangesInOrderAndNothingElse) {
    auto& a = value_at<std::uint32_t>(16);
    auto& b = value_at<double>(4096 + 64);
    auto& unwatched = value_at<std::uint64_t>(24);
    WriteWatch watch = this->watch({memory_of(a), memory_of(b)});
    tag_ = 3;
    write<std::uint32_t>(a, 5);
    write<std::uint64_t>(unwatched, 9);
    write<std::uint32_t>(a, 5);  // as it is
    tag_ = 4;
    write(b, 1.5);
    write<std::uint32_t>(a, 7);
    const WrittenMemory seen = watch.end();
    write<std::uint32_t>(a, 8);
    EXPECT_FALSE(seen.cut);
    EXPECT_TRUE(seen.sites.empty());
    const std::vector<Write> expected{{0, 0, 0, 0, 5, 3, 0},
                                      {1, 6, 0, 0, std::bit_cast<std::uint64_t>(1.5), 4, 1},
                                      {0, 0, 0, 5, 7, 4, 2}};
    EXPECT_EQ(seen.writes, expected);
    EXPECT_EQ(unwatched, 9U);
}

TEST_F(WriteWatchTest, TheInnermostOfNestedRangesCounts) {
    auto& outer = value_at<std::array<std::uint64_t, 4>>(128);
    WriteWatch watch = this->watch({memory_of(outer), memory_of(outer[1]), memory_of(outer[3])});
    for (std::size_t i = 0; i < outer.size(); ++i) {
        write<std::uint64_t>(outer[i], 10 + i);
    }
    const auto writes = watch.end().writes;
    const std::vector<Write> expected{
        {0, 0, 0, 0, 10}, {1, 0, 0, 0, 11, 0, 1}, {0, 16, 16, 0, 12, 0, 2}, {2, 0, 0, 0, 13, 0, 3}};
    EXPECT_EQ(writes, expected);
}

TEST_F(WriteWatchTest, OneInstructionMayWriteAcrossPages) {
    auto& across = *reinterpret_cast<std::array<std::uint8_t, 8>*>(&pages_->bytes[4096 - 4]);
    WriteWatch watch = this->watch({memory_of(across)});
    const std::uint64_t value = 0x0807060504030201;
    asm volatile("movq %1, %0" : "=m"(across) : "r"(value));
    const std::vector<Write> expected{{0, 0, 0, 0, value}};
    EXPECT_EQ(watch.end().writes, expected);
}

TEST_F(WriteWatchTest, CopiesOfBlocksAreSeenWhole) {
    auto& block = value_at<std::array<std::uint64_t, 700>>(800);  // on three pages
    std::array<std::uint64_t, 700> source{};
    std::iota(source.begin(), source.end(), std::uint64_t{1});
    WriteWatch watch = this->watch({memory_of(block)});
    std::memcpy(&block, source.data(), sizeof block);
    const auto writes = watch.end().writes;
    EXPECT_EQ(block, source);
    ASSERT_EQ(writes.size(), source.size());
    std::uint64_t sum = 0;
    for (const Write& one : writes) {  // in whichever order
        EXPECT_EQ(one.after, one.word / 8 + 1);
        sum += one.after;
    }
    EXPECT_EQ(sum, std::accumulate(source.begin(), source.end(), std::uint64_t{0}));
}

TEST_F(WriteWatchTest, KnowsWhereTheLastWritesComeFrom) {
    auto& value = value_at<std::uint32_t>(0);
    WriteWatch watch =
        this->watch({memory_of(value)}, {.writes = 3, .with_sites = 2, .traps = 100});
    for (int i = 0; i < 4; ++i) {
        game::write_twice_by_way_of(value);
    }
    const WrittenMemory seen = watch.end();
    EXPECT_EQ(value, 8U);
    EXPECT_EQ(seen.writes.size(), 3U) << "none behind those asked for";
    ASSERT_EQ(seen.sites.size(), 2U);
    const std::vector<CodePlace> code = code_of(seen.sites.front(), 2);
#ifndef ISOTICK_HAS_LIBDW
    GTEST_SKIP() << "nothing here reads debug information";
#endif
    ASSERT_EQ(code.size(), 2U);
    EXPECT_EQ(code[0].function, "game::write_from_here");
    EXPECT_EQ(code[1].function, "game::write_twice_by_way_of");
    EXPECT_TRUE(code[0].file.ends_with("write_watch_test.cpp"));
    EXPECT_EQ(code_of(seen.sites.back(), 2).front().line, code[0].line);
    EXPECT_NE(code_of(seen.sites.back(), 2).back().line, code[1].line);
}

TEST_F(WriteWatchTest, FewerWritesThanAskedForAreNoted) {
    auto& value = value_at<std::uint32_t>(0);
    WriteWatch watch =
        this->watch({memory_of(value)}, {.writes = 100, .with_sites = 100, .traps = 100});
    write<std::uint32_t>(value, 1);
    const WrittenMemory seen = watch.end();
    EXPECT_EQ(seen.writes.size(), 1U);
    EXPECT_EQ(seen.sites.size(), 1U);
    EXPECT_FALSE(seen.cut);
}

TEST_F(WriteWatchTest, TooManyWritesEndIt) {
    auto& value = value_at<std::uint32_t>(0);
    WriteWatch watch = this->watch({memory_of(value)}, {.writes = 100, .traps = 1'000});
    constexpr std::uint32_t kMany = 100'000;
    for (std::uint32_t i = 1; i <= kMany; ++i) {
        write<std::uint32_t>(value, i);
    }
    const WrittenMemory seen = watch.end();
    EXPECT_EQ(value, kMany);
    EXPECT_TRUE(seen.cut);
    EXPECT_EQ(seen.writes.size(), 100U);
}

TEST_F(WriteWatchTest, TooManyWritesElsewhereOnThePageEndIt) {
    auto& value = value_at<std::uint32_t>(0);
    auto& other = value_at<std::uint32_t>(64);
    WriteWatch watch = this->watch({memory_of(value)}, {.writes = 100, .traps = 50});
    for (std::uint32_t i = 1; i <= 49; ++i) {
        write<std::uint32_t>(other, i);
    }
    write<std::uint32_t>(value, 1);
    write<std::uint32_t>(value, 2);
    const WrittenMemory seen = watch.end();
    EXPECT_TRUE(seen.cut);
    EXPECT_EQ(seen.writes.size(), 1U);
}

TEST_F(WriteWatchTest, ItsOwnStackIsLeftOut) {
    std::uint64_t local = 0;
    auto& value = value_at<std::uint64_t>(0);
    WriteWatch watch = this->watch({memory_of(local), memory_of(value)});
    write<std::uint64_t>(local, 1);
    write<std::uint64_t>(value, 1);
    const std::vector<Write> expected{{1, 0, 0, 0, 1}};
    EXPECT_EQ(watch.end().writes, expected);
}

TEST_F(WriteWatchTest, WritesOfOtherThreadsAreNotedToo) {
    auto& values = value_at<std::array<std::uint64_t, 2>>(0);
    WriteWatch watch = this->watch({memory_of(values[0]), memory_of(values[1])});
    constexpr std::uint64_t kEach = 2000;
    const auto count = [](std::uint64_t& value) {
        for (std::uint64_t i = 1; i <= kEach; ++i) {
            write<std::uint64_t>(value, i);
        }
    };
    std::thread other(count, std::ref(values[0]));
    count(values[1]);
    other.join();
    const auto writes = watch.end().writes;
    EXPECT_EQ(values, (std::array<std::uint64_t, 2>{kEach, kEach}));
    // While one thread's instruction runs with the page open, the other may write unseen.
    for (const std::size_t place : {0U, 1U}) {
        std::uint64_t last = 0;
        for (const Write& one : writes) {
            if (one.place == place) {
                EXPECT_GT(one.after, last);
                last = one.after;
            }
        }
        EXPECT_GT(last, 0U);
    }
}

#ifdef __x86_64__
void spend(int instructions) {
    for (int i = 0; i < instructions; ++i) {
        asm volatile("");
    }
}

TEST_F(WriteWatchTest, WhatKeepsOutOfTheTraceTakesNoRoomInIt) {
    constexpr WatchLimits kLimits{.writes = 10, .traps = 10, .instructions = 1'000};
    auto& value = value_at<std::uint32_t>(0);
    for (const bool keeps_out : {true, false}) {
        WriteWatch watch = this->watch({memory_of(value)}, kLimits);
        watch.trace_begins(0);
        if (keeps_out) {
            const Untraced untraced;
            spend(5'000);
        } else {
            spend(5'000);
        }
        write<std::uint32_t>(value, keeps_out ? 1 : 2);
        watch.trace_ends();
        const WrittenMemory seen = watch.end();
        EXPECT_EQ(seen.trace.cut, !keeps_out);
        ASSERT_EQ(seen.writes.size(), 1U);
        EXPECT_EQ(seen.writes.front().instruction > 0, keeps_out) << "it is traced again";
    }
}

TEST_F(WriteWatchTest, ATraceThatIsLeftForGoodIsCut) {
    auto& value = value_at<std::uint32_t>(0);
    WriteWatch watch =
        this->watch({memory_of(value)}, {.writes = 10, .traps = 10, .instructions = 1'000});
    watch.trace_begins(0);
    __builtin_ia32_writeeflags_u64(__builtin_ia32_readeflags_u64() & ~kStepFlag);
    watch.trace_ends();
    EXPECT_TRUE(watch.end().trace.cut);
}
#endif

std::sig_atomic_t volatile faults_of_others = 0;
sigjmp_buf behind_the_fault;

TEST_F(WriteWatchTest, FaultsElsewhereReachWhoeverHandledThemBefore) {
    struct sigaction before {};
    struct sigaction others {};
    others.sa_handler = [](int) {
        faults_of_others = faults_of_others + 1;
        siglongjmp(behind_the_fault, 1);
    };
    sigaction(SIGSEGV, &others, &before);
    auto& value = value_at<std::uint32_t>(0);
    WriteWatch watch = this->watch({memory_of(value)});
    if (sigsetjmp(behind_the_fault, 1) == 0) {
        *reinterpret_cast<volatile int*>(8) = 1;
    }
    write<std::uint32_t>(value, 1);
    EXPECT_EQ(watch.end().writes.size(), 1U);
    EXPECT_EQ(faults_of_others, 1);
    struct sigaction restored {};
    sigaction(SIGSEGV, &before, &restored);
    EXPECT_EQ(restored.sa_handler, others.sa_handler);
}

TEST_F(WriteWatchTest, EndsWithItself) {
    auto& value = value_at<std::uint32_t>(0);
    {
        const WriteWatch watch = this->watch({memory_of(value)});
        write<std::uint32_t>(value, 1);
    }
    write<std::uint32_t>(value, 2);
    WriteWatch again = watch({memory_of(value)});
    write<std::uint32_t>(value, 3);
    const std::vector<Write> expected{{0, 0, 0, 2, 3}};
    EXPECT_EQ(again.end().writes, expected);
}

}  // namespace
}  // namespace isotick::harness
