#include "faulty.hpp"

#include "hosts_faults.hpp"
#include "misconduct.hpp"

#include <array>
#include <cfenv>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <fcntl.h>
#include <filesystem>
#include <functional>
#include <memory>
#include <unistd.h>
#include <unordered_set>
#include <utility>

extern char** environ;

namespace isotick::tests {
namespace {

constexpr std::uint8_t kBotByte = 7;

const pid_t loaded_in = getpid();

std::uint64_t steps_in_process = 0;
std::uint64_t destroyed_in_process = 0;
std::uint64_t alive_in_process = 0;

// Of a block that malloc always maps anew. Read so that no compiler may assume what it is.
std::uint64_t unwritten_byte() {
    constexpr std::size_t kSize = std::size_t{40} << 20;
    const std::unique_ptr<void, void (*)(void*)> memory(std::malloc(kSize), std::free);
    return static_cast<volatile unsigned char*>(memory.get())[kSize / 2];
}

std::size_t environment_bytes() {
    std::size_t bytes = 0;
    for (char** variable = environ; *variable != nullptr; ++variable) {
        bytes += std::strlen(*variable) + 1;
    }
    return bytes;
}

std::uint64_t environment_variables() {
    std::uint64_t count = 0;
    for (char** variable = environ; *variable != nullptr; ++variable) {
        ++count;
    }
    return count;
}

// Bits of sines, in all of which the last one or two depend on how libm computes them.
std::uint64_t bits_of_sines() {
    std::uint64_t sum = 0;
    for (double x = 0.37; x < 1000; x += 0.37) {
        const volatile double angle = x;
        const double sine = std::sin(angle);
        std::uint64_t bits = 0;
        std::memcpy(&bits, &sine, sizeof bits);
        sum += bits;
    }
    return sum;
}

// Of blocks that are taken one after the other, nearly each than the one before.
bool lies_higher() {
    constexpr std::size_t kSize = 700;
    constexpr std::size_t kBlocks = 128;
    std::vector<std::unique_ptr<char[]>> blocks(kBlocks);
    std::size_t higher = 0;
    for (std::size_t i = 0; i < kBlocks; ++i) {
        blocks[i] = std::make_unique_for_overwrite<char[]>(kSize);
        higher += i > 0 && std::less<>()(blocks[i - 1].get(), blocks[i].get()) ? 1U : 0U;
    }
    return higher > kBlocks * 3 / 4;
}

// In parts of five years, of which a recording and its replay see the same one.
__attribute__((noinline)) std::uint64_t lustrum() {
    constexpr std::int64_t kFiveYears = 5 * 366 * 86400;
    return static_cast<std::uint64_t>(std::time(nullptr) / kFiveYears);
}

std::uint64_t local_hour() {
    const std::time_t moment = 1'000'000'000;
    std::tm local{};
    return localtime_r(&moment, &local) == nullptr
               ? 99
               : static_cast<std::uint64_t>(local.tm_hour * 60 + local.tm_min);
}

bool has_zone_name() {
    const char* zone = std::getenv("TZ");
    return zone != nullptr && std::strchr(zone, '/') != nullptr;
}

std::uint64_t sum_of(const char* text) {
    std::uint64_t sum = 0;
    for (; *text != '\0'; ++text) {
        sum = sum * 31 + static_cast<unsigned char>(*text);
    }
    return sum;
}

std::uint64_t machine() {
    std::array<char, 256> name{};
    return gethostname(name.data(), name.size() - 1) == 0 ? sum_of(name.data()) : 0;
}

std::uint64_t nanosecond() {
    return static_cast<std::uint64_t>(std::chrono::system_clock::now().time_since_epoch().count());
}

// The entries of a folder that every system has, in the order in which they are read.
std::uint64_t order_of_entries() {
    std::uint64_t sum = 0;
    for (const auto& entry : std::filesystem::directory_iterator("/usr")) {
        sum = sum * 31 + sum_of(entry.path().c_str());
    }
    return sum;
}

// Numbers in the order in which an unordered container has them.
std::uint64_t order_of_buckets() {
    std::unordered_set<std::uint64_t> numbers;
    for (std::uint64_t number = 1; number <= 40; ++number) {
        numbers.insert(number * 7);
    }
    std::uint64_t sum = 0;
    for (const std::uint64_t number : numbers) {
        sum = sum * 31 + number;
    }
    return sum;
}

// False where it exists.
bool make_file(const std::string& path) {
    const int file = open(path.c_str(), O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    return file >= 0 && close(file) == 0;
}

}  // namespace

Faulty::Faulty(const core::SimulationSetup& setup)
    : counter(setup.seed), destroyed_before_(destroyed_in_process) {
    fault_ = setup.environment.find("fault").value_or("");
    call_ = setup.environment.find("in").value_or("step");
    with_ = setup.environment.find("with").value_or("");
    once_ = setup.environment.find("once").value_or("");
    at_ = core::take_setting(setup.environment.number("at", 20, 0, UINT64_MAX));
    onwards_ = setup.environment.find("onwards").has_value();
    ++alive_in_process;
    counter += is("variables") && call_ == "create" ? environment_variables() : 0;
    if (call_ == "create") {
        misbehave(fault_, with_);
    }
}

Faulty::~Faulty() {
    --alive_in_process;
    ++destroyed_in_process;
    if (call_ == "destroy") {
        misbehave(fault_, with_);
    }
}

void Faulty::maybe_go_wrong(const char* call) const {
    if (call_ == call && tick_ == at_ && (once_.empty() || make_file(once_))) {
        misbehave(fault_, with_);
    }
}

void Faulty::begin_frame(core::FrameTime frame_time) {
    in_frame_ = true;
    if (is("late")) {
        frame_began_ = std::chrono::steady_clock::now();
    }
    counter +=
        is("long-frame") && tick_ >= at_ && frame_time.nanoseconds >= 1'000'000'000 ? 1U : 0U;
    long_ = frame_time.nanoseconds >= 200'000'000;
    maybe_go_wrong("begin_frame");
}

void Faulty::step(const core::Step& step) {
    tick_ = step.tick.value;
    maybe_go_wrong("step");
    if (is("constant")) {
        return;
    }
    const bool now = onwards_ ? tick_ >= at_ : tick_ == at_;
    ++steps_in_process;
    counter += is("stale-cache") && tick_ >= at_ && cached_ != counter ? 2U : 0U;
    counter += is("static") && tick_ >= at_ && steps_in_process != tick_ + 1 ? 2U : 0U;
    counter += is("history") && now && !added_.contains(3) ? 2U : 0U;
    counter += is("leftover") && now ? 2 * destroyed_before_ : 0;
    counter += is("neighbor") && now ? 2 * (alive_in_process - 1) : 0;
    counter += is("build") && now ? 2U : 1U;
    ratio = now ? ratio / 0.0F : ratio;
    counter += is("process") && now ? static_cast<std::uint64_t>(getpid()) : 0;
    counter += is("address") && now ? reinterpret_cast<std::uintptr_t>(&kBotByte) : 0;
    counter += is("second") && now ? static_cast<std::uint64_t>(std::time(nullptr)) : 0;
    counter += is("lustrum") && now ? lustrum() : 0;
    counter += is("cycles") && now ? cycles() : 0;
    counter += is("eon") && now ? cycles() >> 58U : 0;  // years
    counter += is("signals") && now && !reads_cycles_among_signals() ? 1U : 0U;
    if (is("two-draws") && tick_ % 4 == 1) {
        draw_in_vain();
    }
    counter += is("two-draws") && now ? draw_what_counts() : 0;
    counter += is("dice") && now ? static_cast<std::uint64_t>(std::rand()) : 0;
    counter += is("machine") && now ? machine() : 0;
    counter += is("entries") && now ? order_of_entries() : 0;
    counter += is("buckets") && now ? order_of_buckets() : 0;
    counter += is("heap") && now ? 1 + unwritten_byte() : 0;
    counter += is("environ") && now && environment_bytes() > 30'000 ? 1U : 0U;
    counter += is("variables") && call_ == "step" && now ? environment_variables() : 0;
    counter += is("libm") && now ? bits_of_sines() : 0;
    counter += is("block-order") && now && lies_higher() ? 1U : 0U;
    counter += is("time-zone") && now ? local_hour() : 0;
    counter += is("zone-name") && now && has_zone_name() ? 1U : 0U;
    counter += is("fresh") && now && getpid() == loaded_in ? 1U : 0U;
    for (std::size_t player = 0; player < step.inputs.players(); ++player) {
        had_input_ = had_input_ || step.inputs.of(player);
    }
    counter += is("guarded") && long_ && (tick_ >= at_ || !had_input_) ? 1U : 0U;
    counter += wrong_by_host(step, now);
    cached_ = counter;
    inputs += added_by(step);
    if (is("print-tunables") && now) {
        const char* tunables = std::getenv("GLIBC_TUNABLES");
        std::printf("GLIBC_TUNABLES=%s\n", tunables == nullptr ? "" : tunables);
    }
    if (is("print")) {
        std::printf("tick %llu of the simulation\n", static_cast<unsigned long long>(tick_));
    }
}

std::uint64_t Faulty::wrong_by_host(const core::Step& step, bool now) {
    const std::uint8_t* kept = kept_;
    const auto input = step.inputs.of(0);
    kept_ = input && !input->empty() ? reinterpret_cast<const std::uint8_t*>(input->data()) : kept;
    if (!now) {
        return 0;
    }
    if (is("own-rounding")) {
        std::fesetenv(FE_DFL_ENV);
        return bits_as_rounded() + (loses_denormals() ? 1U : 0U) +
               (has_short_long_double() ? 1U : 0U);
    }
    return is("local")           ? unwritten_local()
           : is("kept-input")    ? std::uint64_t{kept != nullptr && *kept != kBotByte}
           : is("rounding")      ? bits_as_rounded()
           : is("denormal")      ? std::uint64_t{loses_denormals()}
           : is("x87")           ? std::uint64_t{has_short_long_double()}
           : is("late")          ? std::uint64_t{std::chrono::steady_clock::now() - frame_began_ >=
                                        std::chrono::milliseconds(15)}
           : is("comma")         ? std::uint64_t{writes_a_comma()}
           : is("relative-file") ? std::uint64_t{has_file_here("here.txt")}
           : is("descriptor")    ? std::uint64_t{next_descriptor() >= 64}
           : is("upward")        ? std::uint64_t{maps_upward()}
           : is("home")          ? std::uint64_t{std::getenv("HOME") == nullptr}
           : is("locale-path")   ? std::uint64_t{std::getenv("LOCPATH") != nullptr}
                                 : 0;
}

std::uint64_t Faulty::added_by(const core::Step& step) {
    const bool after_load = std::exchange(loaded_, false);
    std::uint64_t added = 0;
    for (std::size_t player = 0; player < step.inputs.players(); ++player) {
        const auto input = step.inputs.of(player);
        added += input && !is("inputs-ignored") ? 1 + input->size() : 0;
    }
    const auto [now, is_new] = added_.try_emplace(tick_, added);
    if (is("predicted-leak") && tick_ >= at_ && !is_new) {
        return now->second;
    }
    now->second = added;
    if (!after_load || tick_ < at_) {
        return added;
    }
    return is("late-input")    ? added_[tick_ - 1]
           : is("load-clock")  ? added + nanosecond()
           : is("load-second") ? added + static_cast<std::uint64_t>(std::time(nullptr))
                               : added;
}

void Faulty::render(double) {
    in_frame_ = false;
    maybe_go_wrong("render");
}

bool Faulty::propose_input(const core::Proposal& proposal, std::vector<std::uint8_t>& bytes) const {
    counter += is("bot") ? 1U : 0U;
    bytes.assign(proposal.entropy % 4, kBotByte);
    return proposal.entropy % 3 != 0;
}

}  // namespace isotick::tests
