#include <isotick/core/adapter.hpp>
#include <isotick/core/random.hpp>

#include <cstdint>
#include <vector>

struct Lander {
    static constexpr isotick::core::SimulationInfo kInfo{
        .name = "lander", .most_players = 1, .usual_players = 1};

    struct Input {  // what the player does in one tick: one byte
        std::uint8_t up = 0;
        template <class Archive>
        void serialize(Archive& archive) {
            archive(CEREAL_NVP(up));
        }
    };

    explicit Lander(const isotick::core::SimulationSetup& setup) : random(setup.seed) {}

    void step(const isotick::core::Step& step) {
        wind = (random.below(201) - 100.0) * 0.01;
        const auto input = step.inputs.of(0);
        const bool up = input && !input->empty() && input->front() != 0;
        if (up && fuel > 0.0) {
            speed += 4.0 * step.dt_seconds;
            fuel -= step.dt_seconds;
        }
        speed += (wind - 1.62) * step.dt_seconds;
        height += speed * step.dt_seconds;
    }

    void render(double alpha) { drawn_ = height + speed * alpha / 60; }  // reads, never writes back

    bool propose_input(const isotick::core::Proposal& asked,
                       std::vector<std::uint8_t>& bytes) const {  // a bot, so that there are inputs
        bytes.assign(1, speed < -5.0 || asked.entropy % 8 == 0 ? 1 : 0);
        return asked.player == 0;  // the world is asked too, and has no inputs here
    }

    template <class Archive>
    void serialize(Archive& archive) {  // all that decides the next tick, and nothing else
        archive(CEREAL_NVP(height), CEREAL_NVP(speed), CEREAL_NVP(wind), CEREAL_NVP(fuel),
                CEREAL_NVP(random));
    }

    double height = 100.0;
    double speed = 0.0;
    double wind = 0.0;
    double fuel = 20.0;
    isotick::core::Pcg32 random;

  private:
    double drawn_ = 0.0;
};

ISOTICK_SIMULATION(Lander)
