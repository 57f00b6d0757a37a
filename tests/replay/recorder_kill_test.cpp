// A Recorder whose process is killed at any moment: what it had promised is there.

#include "fake_session.hpp"
#include "recorded.hpp"
#include "scratch.hpp"

#include <isotick/core/random.hpp>

#include <algorithm>
#include <cstdint>
#include <iostream>

#include <gtest/gtest.h>

#if !defined(_WIN32)
#include <atomic>
#include <csignal>
#include <cstdlib>
#include <new>
#include <unistd.h>

#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>

namespace isotick::replay {
namespace {

constexpr std::uint64_t kKills = 2000;
constexpr std::uint64_t kTicks = 1000;
constexpr std::uint64_t kChunk = 64;  // at 60 Hz

// What the process that dies has told before.
struct Told {
    std::atomic<std::uint64_t> recorded{0};
    std::atomic<std::uint64_t> promised{0};
};

enum class Death { kill, abort, segfault };

FakeSession played() {
    FakeSession session;
    session.head.session.players = 2;
    session.input = pad_input;
    session.set_parts(2);
    return session;
}

class KilledRecorder : public Scratch {
  protected:
    KilledRecorder() {
        void* const memory =
            mmap(nullptr, sizeof(Told), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
        told_ = new (memory) Told;
    }
    ~KilledRecorder() override { munmap(told_, sizeof(Told)); }

    // Records in a process of its own until that dies at `tick`.
    void record_and_die(Death death, std::uint64_t tick) {
        told_->recorded = 0;
        told_->promised = 0;
        const pid_t child = fork();
        if (child == 0) {
            live_and_die(death, tick);
        }
        bool is_gone = false;
        while (death == Death::kill && told_->recorded < tick && !is_gone) {
            is_gone = waitpid(child, nullptr, WNOHANG) != 0;
        }
        if (!is_gone) {
            if (death == Death::kill) {
                kill(child, SIGKILL);
            }
            waitpid(child, nullptr, 0);
        }
    }

    [[noreturn]] void live_and_die(Death death, std::uint64_t end) {
        const rlimit none{0, 0};
        setrlimit(RLIMIT_CORE, &none);
        LiveGame game(session_);
        // It is the process that dies, not the machine.
        auto recorder =
            game.start(path(), {.durable = false, .patience_ms = 60'000, .most_queued = 1});
        for (std::uint64_t tick = 0; recorder && tick < kTicks; ++tick) {
            if (!game.play(*recorder, tick)) {
                break;
            }
            told_->recorded = tick + 1;
            told_->promised = recorder->written_through();
            if (tick + 1 == end && death != Death::kill) {
                std::signal(SIGABRT, SIG_DFL);
                std::signal(SIGSEGV, SIG_DFL);
                std::raise(death == Death::abort ? SIGABRT : SIGSEGV);
            }
        }
        _exit(1);
    }

    const FakeSession session_ = played();
    Told* told_;
};

TEST_F(KilledRecorder, HasWrittenWhatItPromised) {
    core::Pcg32 random(20261121);
    std::uint64_t most_lost = 0;
    std::uint64_t promised = 0;
    for (std::uint64_t i = 0; i < kKills; ++i) {
        const auto death = static_cast<Death>(random.below(3));
        const std::uint64_t at = 1 + random.below(400);
        record_and_die(death, at);
        const ReadThrough read = read_through(path(), session_);
        ASSERT_EQ(read.mismatch, "") << "kill " << i;
        ASSERT_GE(read.ticks, told_->promised) << "kill " << i;
        const std::uint64_t recorded = told_->recorded;
        // The open chunk and one queued.
        ASSERT_GE(read.ticks + kChunk, recorded / kChunk * kChunk) << "kill " << i;
        most_lost = std::max(most_lost, recorded - std::min(recorded, read.ticks));
        promised += told_->promised;
        std::filesystem::remove(path());
    }
    std::cout << kKills << " kills: " << promised << " ticks were promised, none was lost; of "
              << "those not promised, at most " << most_lost << " at a time\n";
    EXPECT_GT(promised, kKills * kChunk);
}

}  // namespace
}  // namespace isotick::replay

#endif
