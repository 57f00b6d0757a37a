// The traps of INTEGRATING.md in one simulation, each with its mend beside it. The config says
// which one is open: trap=none (default), time, random, containers, statics, threads, races or
// processors. The trap `floats` is this same source, compiled with other flags.

#include <isotick/core/adapter.hpp>
#include <isotick/core/random.hpp>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <thread>
#include <unordered_map>
#include <vector>

#include <cereal/types/unordered_map.hpp>
#include <cereal/types/vector.hpp>

namespace {

namespace core = isotick::core;

constexpr std::size_t kRocks = 64;

class Rocks {
  public:
    static constexpr core::SimulationInfo kInfo{
        .name = "rocks",
        .summary = "falls into the trap it is told to",
        .config_help =
            "trap=none, time, random, "
            "containers, statics, threads, races or processors",
        .most_players = 1,
        .usual_players = 1};

    explicit Rocks(const core::SimulationSetup& setup)
        : mass(kRocks, 1.0),
          random(setup.seed),
          trap_(setup.config.find("trap").value_or("none")),
          workers_(core::take_setting(setup.environment.number("workers", 1, 1, kRocks))) {
        for (std::uint32_t rock = 0; rock < kRocks; ++rock) {
            heat[rock] = 0;
        }
    }

    void begin_frame(core::FrameTime frame_time) {
        frame_seconds_ = static_cast<double>(frame_time.nanoseconds) * 1e-9;
    }

    void step(const core::Step& step) {
        const auto input = step.inputs.of(0);
        speed += input && !input->empty() ? input->front() / 7.0 : 0.0;
        steer(input && !input->empty() ? input->front() : std::uint8_t{0});
        brake(step.dt_seconds);
        blow();
        const std::uint32_t rock = random.below(kRocks);
        mass[rock] += random.unit_double();
        heat[rock] += 1 + random.below(3);
        aim();
        spawn();
        find_heaviest();
        weight = is("threads") ? weigh_by_worker() : weigh_by_block();
    }

    void render(double) { glitter_ = is("random") ? rand() % 8 : glitter_ + 1; }

    template <class Archive>
    void serialize(Archive& archive) {
        archive(CEREAL_NVP(speed), CEREAL_NVP(heading), CEREAL_NVP(wind), CEREAL_NVP(heat),
                CEREAL_NVP(target), CEREAL_NVP(until_spawn), CEREAL_NVP(spawned), CEREAL_NVP(mass),
                CEREAL_NVP(weight), CEREAL_NVP(heaviest), CEREAL_NVP(random));
    }

    double speed = 10.0;
    int heading = 0;
    int wind = 0;
    std::unordered_map<std::uint32_t, std::uint32_t> heat;  // by rock
    std::uint32_t target = 0;
    std::uint32_t until_spawn = 50;
    std::uint32_t spawned = 0;
    std::vector<double> mass;
    double weight = 0.0;
    double heaviest = 0.0;
    core::Pcg32 random;

  private:
    [[nodiscard]] bool is(const char* trap) const { return trap_ == trap; }

    void steer(std::uint8_t byte) {
        if (is("processors")) {
            const char turn = static_cast<char>(byte);  // left is below zero
            heading += turn;
        } else {
            const auto turn = static_cast<std::int8_t>(byte);
            heading += turn;
        }
    }

    void brake(double dt_seconds) {
        if (is("time")) {
            speed -= speed / 3.0 * frame_seconds_;
        } else {
            speed -= speed / 3.0 * dt_seconds;
        }
    }

    void blow() {
        if (is("random")) {
            wind = rand() % 2001 - 1000;
        } else {
            wind = static_cast<int>(random.below(2001)) - 1000;
        }
    }

    void aim() {
        target = 0;
        if (is("containers")) {
            for (const auto& [rock, degrees] : heat) {
                if (degrees > 5) {
                    target = rock;  // the first that is hot enough
                    break;
                }
            }
        } else {
            for (const auto& [rock, degrees] : heat) {
                if (degrees > 5) {
                    target = std::max(target, rock);  // whichever comes first
                }
            }
        }
    }

    void spawn() {
        if (is("statics")) {
            static std::uint32_t ticks = 0;
            if (++ticks % 50 == 0) {
                ++spawned;
            }
        } else if (--until_spawn == 0) {
            ++spawned;
            until_spawn = 50;
        }
    }

    void find_heaviest() {
        if (is("races")) {
            in_parallel([&](std::size_t worker) {
                for (std::size_t rock = worker; rock < kRocks; rock += workers_) {
                    heaviest = std::max(heaviest, mass[rock]);  // whoever writes last
                }
            });
        } else {
            heaviest = *std::max_element(mass.begin(), mass.end());
        }
    }

    double weigh_by_worker() {
        std::vector<double> partial(workers_);
        in_parallel([&](std::size_t worker) {
            for (std::size_t rock = worker; rock < kRocks; rock += workers_) {
                partial[worker] += mass[rock];  // as many sums as there are workers
            }
        });
        double sum = 0.0;
        for (const double part : partial) {
            sum += part;
        }
        return sum;
    }

    double weigh_by_block() {
        std::vector<double> partial(8);
        in_parallel([&](std::size_t worker) {
            for (std::size_t block = worker; block < partial.size(); block += workers_) {
                for (std::size_t rock = 8 * block; rock < 8 * block + 8; ++rock) {
                    partial[block] += mass[rock];  // eight sums, whoever makes them
                }
            }
        });
        double sum = 0.0;
        for (const double part : partial) {
            sum += part;
        }
        return sum;
    }

    template <class Work>
    void in_parallel(const Work& work) const {
        std::vector<std::thread> threads;
        for (std::size_t worker = 1; worker < workers_; ++worker) {
            threads.emplace_back([&work, worker] { work(worker); });
        }
        work(0);
        for (std::thread& thread : threads) {
            thread.join();
        }
    }

    std::string trap_;
    std::size_t workers_;
    double frame_seconds_ = 0.0;
    int glitter_ = 0;
};

}  // namespace

ISOTICK_SIMULATION(Rocks)
