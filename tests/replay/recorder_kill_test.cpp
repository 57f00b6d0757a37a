// Recorders whose process is killed at any moment: what they had promised is there, every file can
// be read, and none is called damaged.

#include "fake_session.hpp"
#include "recorded.hpp"
#include "scratch.hpp"

#include <isotick/core/random.hpp>
#include <isotick/replay/detail/new_file.hpp>
#include <isotick/replay/detail/survey.hpp>

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

constexpr std::uint64_t kChunk = 64;  // at 60 Hz

// How many processes die: ISOTICK_KILLS, or few enough for every day.
std::uint64_t kills() {
    const char* const asked = std::getenv("ISOTICK_KILLS");
    return asked == nullptr ? 200 : std::strtoull(asked, nullptr, 10);
}

// What the process that dies has told before.
struct Told {
    std::atomic<std::uint64_t> recorded{0};
    std::atomic<std::uint64_t> promised{0};
    std::atomic<bool> is_finished{false};
};

enum class Death { kill, abort, segfault };

// One process that records, and when it dies.
struct Life {
    Death death = Death::kill;
    std::uint64_t at = 0;        // the tick at or after which it dies
    std::uint64_t pause_us = 0;  // how long after it, if it is killed
    std::uint64_t ticks = 1000;  // after which it finishes the recording
    std::uint64_t longest = 0;   // bytes of an input
    bool replaces = false;       // a recording that exists
    bool durable = false;
};

// Inputs of up to `longest` bytes that hardly compress, so that writing a chunk takes a while.
FakeSession played(std::uint64_t longest) {
    FakeSession session;
    session.head.session.players = 2;
    session.set_parts(2);
    session.input = [longest](std::uint64_t tick, std::uint32_t column) {
        if (column >= 2) {
            return Input();
        }
        std::uint64_t bits = mix(tick, column);
        std::vector<std::uint8_t> bytes(static_cast<std::size_t>(3 + bits % (longest + 1)));
        for (std::uint8_t& byte : bytes) {
            bits = bits * 6364136223846793005 + 1442695040888963407;
            byte = static_cast<std::uint8_t>(bits >> 56);
        }
        return Input(std::move(bytes));
    };
    return session;
}

Life drawn(core::Pcg32& random) {
    static constexpr std::uint64_t kLongest[] = {0, 0, 0, 40, 400, 4000, 30'000};
    Life life;
    life.death = static_cast<Death>(std::max(0, static_cast<int>(random.below(6)) - 3));
    life.longest = kLongest[random.below(std::size(kLongest))];
    const bool is_large = life.longest > 1000;
    life.at = random.below(is_large ? 150 : 400);
    life.pause_us = random.below(is_large ? 3000 : 300);
    life.ticks = random.below(3) == 0 ? life.at + 1 : 1000;
    life.replaces = random.below(2) == 0;
    life.durable = random.below(16) == 0;
    return life;
}

class KilledRecorder : public Scratch {
  protected:
    KilledRecorder() {
        void* const memory =
            mmap(nullptr, sizeof(Told), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
        told_ = new (memory) Told;
    }
    ~KilledRecorder() override { munmap(told_, sizeof(Told)); }

    // Records in a process of its own until that dies.
    void record_and_die(const Life& life, const FakeSession& session) {
        told_->recorded = 0;
        told_->promised = 0;
        told_->is_finished = false;
        const pid_t child = fork();
        if (child == 0) {
            live_and_die(life, session);
        }
        bool is_gone = false;
        while (life.death == Death::kill && told_->recorded < life.at && !is_gone) {
            is_gone = waitpid(child, nullptr, WNOHANG) != 0;
        }
        if (!is_gone) {
            if (life.death == Death::kill) {
                usleep(static_cast<useconds_t>(life.pause_us));
                kill(child, SIGKILL);
            }
            waitpid(child, nullptr, 0);
        }
    }

    [[noreturn]] void live_and_die(const Life& life, const FakeSession& session) {
        const rlimit none{0, 0};
        setrlimit(RLIMIT_CORE, &none);
        LiveGame game(session);
        auto recorder = game.start(path(), {.overwrite = life.replaces,
                                            .durable = life.durable,
                                            .patience_ms = 60'000,
                                            .most_queued = 1});
        for (std::uint64_t tick = 0; recorder && tick < life.ticks; ++tick) {
            if (!game.play(*recorder, tick)) {
                break;
            }
            told_->promised = recorder->written_through();
            told_->recorded = tick + 1;
            if (tick == life.at && life.death != Death::kill) {
                std::signal(SIGABRT, SIG_DFL);
                std::signal(SIGSEGV, SIG_DFL);
                std::raise(life.death == Death::abort ? SIGABRT : SIGSEGV);
            }
        }
        if (recorder && game.finish(*recorder, life.ticks)) {
            told_->promised = recorder->written_through();
            told_->is_finished = true;
        }
        _exit(1);
    }

    // The file that holds the recording that was begun; empty where none is left.
    [[nodiscard]] std::string left(const Life& life) const {
        const auto beside = unfinished_beside(path());
        if (!beside.empty()) {
            return beside.front();
        }
        const bool is_new = std::filesystem::exists(path()) &&
                            !(life.replaces && read_bytes(path()) == read_bytes(path("old")));
        return is_new ? path() : std::string();
    }

    // Everything that has to be true of what is left.
    void check(const Life& life, const FakeSession& session) {
        const std::uint64_t recorded = told_->recorded;
        const auto file = left(life);
        if (life.replaces && file != path()) {
            ASSERT_EQ(read_bytes(path()), read_bytes(path("old")));
        }
        if (file.empty()) {
            ASSERT_EQ(told_->promised, 0U);
            ASSERT_TRUE(life.replaces || recorded == 0);
            return;
        }
        const ReadThrough read = read_through(file, session);
        ASSERT_FALSE(read.error) << describe(*read.error);
        ASSERT_EQ(read.mismatch, "");
        ASSERT_GE(read.ticks, told_->promised);
        // The open chunk and one queued.
        ASSERT_GE(read.ticks + kChunk, recorded / kChunk * kChunk);
        ASSERT_FALSE(read.damage) << read.damage->reason;
        ASSERT_FALSE(read.tail_damage) << read.tail_damage->reason;
        ASSERT_TRUE(read.saw_last || !told_->is_finished);
        const auto all = survey(file);
        ASSERT_TRUE(all);
        ASSERT_EQ(all->finished, read.saw_last);
        ASSERT_EQ(all->is_unfinished(), !read.saw_last);
        ASSERT_EQ(all->ticks, read.ticks);
        most_lost_ = std::max(most_lost_, recorded - std::min(recorded, read.ticks));
        unfinished_ += all->is_unfinished() ? 1U : 0U;
    }

    Told* told_;
    std::uint64_t most_lost_ = 0;
    std::uint64_t unfinished_ = 0;
};

TEST_F(KilledRecorder, HasWrittenWhatItPromised) {
    core::Pcg32 random(20261121);
    std::uint64_t promised = 0;
    const std::uint64_t count = kills();
    ASSERT_TRUE(played(0).record(path("old")));
    for (std::uint64_t i = 0; i < count; ++i) {
        const Life life = drawn(random);
        const FakeSession session = played(life.longest);
        if (life.replaces) {
            std::filesystem::copy_file(path("old"), path());
        }
        record_and_die(life, session);
        check(life, session);
        ASSERT_FALSE(HasFailure()) << "kill " << i;
        promised += told_->promised;
        for (const std::string& name : names()) {
            if (name != "old") {
                std::filesystem::remove(path(name));
            }
        }
    }
    std::cout << count << " kills: " << promised << " ticks were promised, none was lost; of those "
              << "not promised, at most " << most_lost_ << " at a time; " << unfinished_
              << " files were unfinished, none was damaged or unreadable\n";
    EXPECT_GT(promised, count * kChunk / 2);
}

}  // namespace
}  // namespace isotick::replay

#endif
