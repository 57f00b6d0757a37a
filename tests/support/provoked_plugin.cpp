// A simulation that goes wrong only when its host and its players do the right things, for those
// who look for the smallest session and schedule that make it. Chosen by its environment:
//
//   ticks=N    a frame of at least so many ticks goes wrong (default 4)
//   after=T    from this tick on (default 2000)
//   delay=D    but only so many ticks later (default 0)
//   crash=1    instead of going wrong, the process aborts in step
//   held=N     but only once there were so many inputs of any kind
//   inputs=T/P/V,…  but only once each of these ticks had an input of that player that begins
//                   with that byte

#include <isotick/core/adapter.hpp>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <sstream>
#include <string>
#include <vector>

namespace {

using namespace isotick;

class Provoked {
  public:
    static constexpr core::SimulationInfo kInfo{.name = "provoked",
                                                .summary = "goes wrong when provoked",
                                                .most_players = 4,
                                                .usual_players = 1};

    explicit Provoked(const core::SimulationSetup& setup);

    void begin_frame(core::FrameTime);
    void step(const core::Step& step);
    bool propose_input(const core::Proposal& proposal, std::vector<std::uint8_t>& bytes) const;

    template <class Archive>
    void serialize(Archive& archive) {
        archive(CEREAL_NVP(counter), CEREAL_NVP(leaked));
    }

    std::uint64_t counter = 0;  ///< of ticks and of what its inputs begin with
    std::uint64_t leaked = 0;   ///< how often it went wrong

  private:
    void go_wrong();

    struct Cell {
        std::uint64_t tick;
        std::uint64_t player;
        unsigned value;
    };

    std::uint64_t ticks_;
    std::uint64_t after_;
    std::uint64_t delay_;
    std::uint64_t held_;
    bool crashes_;
    std::vector<Cell> waits_for_;
    // What no state may depend on.
    std::uint64_t ticks_in_frame_ = 0;
    std::uint64_t heard_ = 0;  // how many of the inputs it waits for have come
    std::uint64_t inputs_ = 0;
    std::uint64_t due_ = UINT64_MAX;  // at which tick it goes wrong
};

Provoked::Provoked(const core::SimulationSetup& setup)
    : counter(setup.seed),
      ticks_(core::take_setting(setup.environment.number("ticks", 4, 1, 1000))),
      after_(core::take_setting(setup.environment.number("after", 2000, 0, UINT64_MAX))),
      delay_(core::take_setting(setup.environment.number("delay", 0, 0, 1'000'000))),
      held_(core::take_setting(setup.environment.number("held", 0, 0, UINT64_MAX))),
      crashes_(setup.environment.find("crash").has_value()) {
    std::istringstream cells(std::string(setup.environment.find("inputs").value_or("")));
    Cell cell{};
    char between = 0;
    while (cells >> cell.tick >> between >> cell.player >> between >> cell.value) {
        waits_for_.push_back(cell);
        cells >> between;
    }
}

void Provoked::begin_frame(core::FrameTime) {
    ticks_in_frame_ = 0;
}

void Provoked::step(const core::Step& step) {
    ++counter;
    ++ticks_in_frame_;
    for (std::size_t player = 0; player < step.inputs.players(); ++player) {
        const auto input = step.inputs.of(player);
        const std::uint8_t first = input && !input->empty() ? input->front() : 0;
        counter += first;
        inputs_ += input ? 1U : 0U;
        for (const Cell& cell : waits_for_) {
            const bool said = cell.tick == step.tick.value && cell.player == player;
            heard_ += said && first == cell.value ? 1U : 0U;
        }
    }
    const bool armed = heard_ == waits_for_.size() && inputs_ >= held_ && step.tick.value >= after_;
    if (armed && ticks_in_frame_ >= ticks_) {
        due_ = std::min(due_, step.tick.value + delay_);
    }
    if (step.tick.value >= due_) {
        go_wrong();
    }
}

void Provoked::go_wrong() {
    if (crashes_) {
        std::abort();
    }
    ++leaked;
    due_ = UINT64_MAX;
}

bool Provoked::propose_input(const core::Proposal& proposal,
                             std::vector<std::uint8_t>& bytes) const {
    bytes.assign(2, 0);
    bytes[0] = static_cast<std::uint8_t>(1 + proposal.entropy % 255);
    bytes[1] = static_cast<std::uint8_t>(proposal.entropy >> 32);
    return true;
}

}  // namespace

ISOTICK_SIMULATION(Provoked)
