#include "profiles.hpp"

#include <vector>

namespace isotick::harness {
namespace {

constexpr std::int64_t kMicrosecond = 1'000;
constexpr std::int64_t kMillisecond = 1'000'000;
constexpr std::uint64_t kKilobit = 1'000;
constexpr std::uint64_t kMegabit = 1'000'000;

LinkSettings delayed(std::int64_t delay_ns, std::int64_t jitter_ns) {
    LinkSettings settings;
    settings.delay_ns = delay_ns;
    settings.jitter_ns = jitter_ns;
    return settings;
}

LinkSettings lan() {
    LinkSettings settings = delayed(500 * kMicrosecond, 200 * kMicrosecond);
    settings.rate = 1'000 * kMegabit;
    settings.queue = 256'000;
    return settings;
}

LinkSettings broadband() {
    LinkSettings settings = delayed(20 * kMillisecond, 3 * kMillisecond);
    settings.loss_per_mille = 1;
    settings.rate = 20 * kMegabit;
    settings.queue = 128'000;
    return settings;
}

LinkSettings mobile() {
    LinkSettings settings = delayed(45 * kMillisecond, 15 * kMillisecond);
    settings.loss_per_mille = 10;
    settings.burst = 3;
    settings.reordering_per_mille = 5;
    settings.rate = 10 * kMegabit;
    settings.queue = 256'000;
    return settings;
}

LinkSettings satellite() {
    LinkSettings settings = delayed(300 * kMillisecond, 10 * kMillisecond);
    settings.loss_per_mille = 5;
    settings.burst = 3;
    settings.rate = 5 * kMegabit;
    settings.queue = 256'000;
    return settings;
}

LinkSettings awful() {
    LinkSettings settings = delayed(120 * kMillisecond, 60 * kMillisecond);
    settings.loss_per_mille = 100;
    settings.burst = 4;
    settings.duplication_per_mille = 20;
    settings.reordering_per_mille = 50;
    settings.rate = 512 * kKilobit;
    settings.queue = 32'000;
    return settings;
}

}  // namespace

std::span<const NetworkProfile> network_profiles() {
    static const std::vector<NetworkProfile> profiles{{"perfect", {}},
                                                      {"lan", lan()},
                                                      {"broadband", broadband()},
                                                      {"mobile", mobile()},
                                                      {"satellite", satellite()},
                                                      {"awful", awful()}};
    return profiles;
}

}  // namespace isotick::harness
