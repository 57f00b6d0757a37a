// How fast captures are imported.

#include "suite.hpp"

#include <isotick/harness/capture.hpp>

#include <fstream>
#include <stdexcept>

namespace isotick::bench {
namespace {

constexpr const char* kHeader =
    "Application,ProcessID,SwapChainAddress,PresentRuntime,SyncInterval,PresentFlags,AllowsTearing,"
    "PresentMode,FrameType,TimeInMs,MsBetweenSimulationStart,MsBetweenPresents,"
    "MsBetweenDisplayChange,MsInPresentAPI,MsRenderPresentLatency,MsUntilDisplayed,"
    "CPUStartTimeInMs,MsBetweenAppStart,MsCPUBusy,MsCPUWait,MsGPULatency,MsGPUTime,MsGPUBusy,"
    "MsGPUWait,MsAnimationError,AnimationTime,MsFlipDelay\n";

/// A capture as PresentMon writes it; how many bytes it has.
std::uint64_t write_capture(const std::string& path, std::uint64_t frames) {
    std::ofstream file(path, std::ios::binary);
    file << kHeader;
    std::uint64_t time_us = 2'000'000;
    for (std::uint64_t i = 0; i < frames; ++i) {
        const std::uint64_t frame_us = 16'000 + i * 7919 % 1334;
        time_us += frame_us;
        const std::string time = std::to_string(time_us / 1000) + "." +
                                 std::to_string(1000 + time_us % 1000).substr(1) + "0";
        const std::string frame =
            "16." + std::to_string(1000 + frame_us % 1000).substr(1) + "00000000000";
        file << "game.exe,4242,0x209B2C3A4F0,DXGI,1,0,1,Hardware Composed: Independent Flip,"
             << "Application," << time << ",NA," << frame << ',' << frame
             << ",0.10000000000000,3.20000000000000,12.5000," << time
             << ",16.6667,12.6667,4.0000,1.0000,6.0000,5.5000,0.5000,NA,NA,NA\n";
    }
    file.flush();
    if (!file) {
        throw std::runtime_error("the capture cannot be written");
    }
    return static_cast<std::uint64_t>(file.tellp());
}

void import_presents(benchmark::State& state, const Suite& suite) {
    const std::uint64_t frames = suite.sized(400'000, 400);
    const std::string path = suite.file("capture.csv");
    const std::uint64_t bytes = write_capture(path, frames);
    for ([[maybe_unused]] auto once : state) {
        const auto capture = harness::import_capture(path);
        if (!capture || capture->ends.size() != frames) {
            throw std::runtime_error("not all frames were imported");
        }
    }
    const double all = static_cast<double>(bytes) * static_cast<double>(state.iterations());
    state.counters["rate"] = benchmark::Counter(all / 1e6, benchmark::Counter::kIsRate);
}

}  // namespace

void add_capture_benchmarks(Suite& suite) {
    suite.add("capture",
              {{"rate", "importing a capture of PresentMon, MB a second", 0, at_least(50)}},
              [&](benchmark::State& state) { import_presents(state, suite); });
}

}  // namespace isotick::bench
