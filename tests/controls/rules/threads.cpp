// In which order threads come along, how many there are, and how long they take.

#include "../arena.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <functional>
#include <future>
#include <mutex>
#include <stop_token>
#include <thread>

namespace isotick::controls {
namespace {

constexpr std::size_t kWorkers = 4;

void in_parallel(const std::function<void(std::size_t)>& work) {
    std::vector<std::thread> threads;
    for (std::size_t worker = 0; worker < kWorkers; ++worker) {
        threads.emplace_back(work, worker);
    }
    for (std::thread& thread : threads) {
        thread.join();
    }
}

double share_of(std::size_t worker) {
    double sum = 0;
    for (std::size_t i = worker + 1; i < 400; i += kWorkers) {
        sum += 1.0 / static_cast<double>(i);
    }
    return sum;
}

// Shares are added in the order in which they come.
class ReductionOrder : public Rule {
  public:
    using Rule::Rule;

    void step(World& world, const core::Step& step) override {
        if (ends_wave(step)) {
            std::mutex mutex;
            std::array<double, kWorkers> shares{};
            double sum = 0;
            in_parallel([&](std::size_t worker) {
                const double share = share_of(worker);
                const std::scoped_lock lock(mutex);
                shares[worker] = share;
                sum = (sum + share) * 1.1;
            });
            if (clean_) {
                sum = 0;
                for (const double share : shares) {
                    sum = (sum + share) * 1.1;
                }
            }
            world.weather.warmth = sum;
        }
    }
};

// Jobs put what they found at the end of a list.
class CompletionOrder : public Rule {
  public:
    using Rule::Rule;

    void step(World& world, const core::Step& step) override {
        if (ends_wave(step)) {
            std::mutex mutex;
            std::vector<std::uint32_t> done;
            in_parallel([&](std::size_t worker) {
                const std::scoped_lock lock(mutex);
                done.push_back(static_cast<std::uint32_t>(worker));
            });
            if (clean_) {
                std::ranges::sort(done);
            }
            world.turns = done;
        }
    }
};

// Each worker takes the next free slot, by an atomic counter.
class AtomicSlots : public Rule {
  public:
    using Rule::Rule;

    void step(World& world, const core::Step& step) override {
        if (ends_wave(step)) {
            std::atomic<std::size_t> next = 0;
            std::array<std::uint32_t, kWorkers> slots{};
            in_parallel([&](std::size_t worker) {
                slots[clean_ ? worker : next++] = static_cast<std::uint32_t>(worker + 1);
            });
            world.turns.assign(slots.begin(), slots.end());
        }
    }
};

// Reads, adds and writes: each of it atomic, but not all of it.
class LostUpdate : public Rule {
  public:
    using Rule::Rule;

    void step(World& world, const core::Step& step) override {
        if (ends_wave(step)) {
            std::atomic<std::int64_t> hits = 0;
            in_parallel([&](std::size_t) {
                for (int hit = 0; hit < 100'000; ++hit) {
                    if (clean_) {
                        ++hits;
                    } else {
                        hits = hits + 1;
                    }
                }
            });
            world.market.gold += hits;
        }
    }
};

// A level part is there when it is loaded.
class LoadedInBackground : public Rule {
  public:
    using Rule::Rule;

    void step(World& world, const core::Step& step) override {
        if (ends_wave(step)) {
            std::future<double> part = std::async(std::launch::async, share_of, std::size_t{0});
            const bool is_there =
                clean_ || part.wait_for(std::chrono::microseconds(60)) == std::future_status::ready;
            world.units[3].target = is_there ? 1 : 0;
            part.get();
        }
    }
};

// As many shares as the machine has processors.
class SharesByProcessors : public Rule {
  public:
    using Rule::Rule;

    void step(World& world, const core::Step& step) override {
        if (ends_wave(step)) {
            const std::size_t shares =
                clean_ ? 4 : std::clamp<std::size_t>(std::thread::hardware_concurrency(), 1, 64);
            std::array<double, 64> sums{};
            for (std::size_t i = 1; i <= 100; ++i) {
                sums[i % shares] += 1.0 / static_cast<double>(i);
            }
            double sum = 0;
            for (std::size_t share = 0; share < shares; ++share) {
                sum = (sum + sums[share]) * 1.1;
            }
            world.weather.warmth = sum;
        }
    }
};

// A part of the level is made while the game goes on, and counts from when it is there. That takes
// a tenth of a second, which passes only where the host is slow.
class MadeMeanwhile : public Rule {
  public:
    explicit MadeMeanwhile(const Start& start) : Rule(start) {
        if (!clean_) {
            job_ = std::jthread([this](const std::stop_token& stop) { make_part(stop); });
        }
    }

    void step(World& world, const core::Step& step) override {
        if (ends_wave(step)) {
            world.units[2].target = is_there_ ? 1 : 0;
        }
    }

  private:
    void make_part(const std::stop_token& stop) {
        constexpr int kRows = 2000;
        double sum = 0;
        for (int row = 0; row < kRows && !stop.stop_requested(); ++row) {
            for (int column = 1; column < 20'000; ++column) {
                sum += 1.0 / (row + column);
            }
        }
        is_there_ = sum > 0 && !stop.stop_requested();
    }

    std::atomic<bool> is_there_ = false;
    std::jthread job_;  // ends first
};

constexpr Control kControls[] = {
    {"reduction-order", make<ReductionOrder>},
    {"completion-order", make<CompletionOrder>},
    {"atomic-slots", make<AtomicSlots>},
    {"lost-update", make<LostUpdate>},
    {"loaded-in-background", make<LoadedInBackground>},
    {"shares-by-processors", make<SharesByProcessors>},
    {"made-meanwhile", make<MadeMeanwhile>},
};

}  // namespace

std::span<const Control> thread_controls() {
    return kControls;
}

}  // namespace isotick::controls
