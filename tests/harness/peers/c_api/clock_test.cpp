// A process whose clocks show what a test says. It has a main of its own: GoogleTest measures time.

#include <isotick/harness/isotick_peers.h>
#include <isotick/harness/network.hpp>

#include <chrono>
#include <cstdio>
#include <ctime>
#include <thread>

#include <sys/time.h>

namespace {

using std::chrono::steady_clock;
using std::chrono::system_clock;

// What a library that knows nothing of isotick asks.
std::int64_t steady_ns() {
    return std::chrono::nanoseconds(steady_clock::now().time_since_epoch()).count();
}

bool is_shown(std::int64_t ns) {
    timeval date{};
    gettimeofday(&date, nullptr);
    return steady_ns() == ns && std::time(nullptr) == ns / 1'000'000'000 &&
           std::chrono::nanoseconds(system_clock::now().time_since_epoch()).count() == ns &&
           date.tv_sec == ns / 1'000'000'000 && date.tv_usec == ns % 1'000'000'000 / 1000;
}

int check() {
    const auto spec = isotick::harness::NetworkSpec::parse("mobile").value();
    auto network = isotick::harness::SimulatedNetwork::make(spec, 2, 1).value();
    const std::int64_t before = steady_ns();
    for (std::int64_t at = 0; at < 5'000'000'000; at += 16'666'667) {
        if (!network.advance(at)) {
            return 1;
        }
        isotick_clock_show(network.now());
        if (!is_shown(at)) {
            return 2;
        }
        std::this_thread::sleep_for(std::chrono::hours(1));
        if (!is_shown(at)) {
            return 3;
        }
    }
    isotick_clock_show(-1);
    const std::int64_t after = steady_ns();
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    return after >= before && steady_ns() - after >= 1'000'000 ? 0 : 4;
}

}  // namespace

int main() {
    const int failed = check();
    if (failed != 0) {
        std::fprintf(stderr, "check %d failed\n", failed);
    }
    return failed;
}
