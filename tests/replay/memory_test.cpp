// Reading takes the same memory however long the recording is.

#include "fake_session.hpp"
#include "scratch.hpp"

#include <gtest/gtest.h>

#if !defined(_WIN32)
#include <unistd.h>

#include <sys/resource.h>
#include <sys/wait.h>

namespace isotick::replay {
namespace {

class ReaderMemory : public Scratch {};

// The most memory, in MiB, that a child of this process held while it ran `body`; −1 if it failed.
template <class Body>
int peak_mib(const Body& body) {
    const pid_t child = fork();
    if (child == 0) {
        const bool done = body();
        rusage usage{};
        getrusage(RUSAGE_SELF, &usage);
        _exit(done ? static_cast<int>(usage.ru_maxrss / 1024) : 255);
    }
    int status = 0;
    waitpid(child, &status, 0);
    return WIFEXITED(status) && WEXITSTATUS(status) != 255 ? WEXITSTATUS(status) : -1;
}

TEST_F(ReaderMemory, AMillionTicksInLessThan32MiB) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    GTEST_SKIP() << "sanitizers take memory of their own";
#endif
    FakeSession session;
    session.head.session.players = 2;
    session.input = [](std::uint64_t tick, std::uint32_t column) {
        return Input(std::vector<std::uint8_t>(3, static_cast<std::uint8_t>(tick / 9 + column)));
    };
    session.ticks = 1'000'000;
    ASSERT_TRUE(session.record(path()));
    const int peak = peak_mib([&] {
        auto reader = Reader::open(path());
        std::uint64_t ticks = 0;
        for (auto chunk = reader->next(); chunk && *chunk != nullptr; chunk = reader->next()) {
            ticks += (*chunk)->ticks();
        }
        return ticks == session.ticks;
    });
    EXPECT_GE(peak, 0);
    EXPECT_LE(peak, 32);
}

}  // namespace
}  // namespace isotick::replay

#endif
