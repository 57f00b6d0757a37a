#include "bare_loop.hpp"

#include "value_or_throw.hpp"

#include <isotick/core/detail/reference.hpp>
#include <isotick/harness/detail/simulation_facts.hpp>
#include <isotick/replay/reader.hpp>

#include <algorithm>
#include <array>
#include <stdexcept>

namespace isotick::bench {
namespace {

void require_ok(std::int32_t status, const isotick_message& message) {
    if (status != ISOTICK_OK) {
        throw std::runtime_error(message.text);
    }
}

// One instance, called straight through its table.
class Instance {
  public:
    Instance(const isotick_simulation_table& table, const replay::SessionInfo& session)
        : table_(table), parts_(ISOTICK_MOST_PARTS) {
        std::vector<isotick_setting> config;
        for (const auto& [key, value] : session.config.entries()) {
            config.push_back({key.c_str(), value.c_str()});
        }
        const isotick_setup setup{.struct_size = sizeof(isotick_setup),
                                  .players = session.players,
                                  .seed = session.seed,
                                  .rate_numerator = session.rate.numerator(),
                                  .rate_denominator = session.rate.denominator(),
                                  .config_count = static_cast<std::uint32_t>(config.size()),
                                  .environment_count = 0,
                                  .config = config.data(),
                                  .environment = nullptr,
                                  .reads = nullptr,
                                  .read_config = nullptr,
                                  .read_environment = nullptr};
        step_.struct_size = sizeof(isotick_step);
        step_.dt_seconds = session.rate.dt_seconds();
        step_.dt_num = session.rate.denominator();
        step_.dt_den = session.rate.numerator();
        require_ok(table_.create(&table_, &setup, &simulation_, &message_), message_);
    }
    ~Instance() { table_.destroy(simulation_); }
    Instance(const Instance&) = delete;
    Instance& operator=(const Instance&) = delete;

    void begin_frame(std::int64_t frame_time_ns) {
        if (table_.begin_frame != nullptr) {
            require_ok(table_.begin_frame(simulation_, frame_time_ns, &message_), message_);
        }
    }
    void step(std::uint64_t tick, const std::vector<isotick_input>& inputs) {
        step_.tick = tick;
        step_.input_count = static_cast<std::uint32_t>(inputs.size());
        step_.inputs = inputs.data();
        require_ok(table_.step(simulation_, &step_, &message_), message_);
    }
    void render(double alpha) {
        if (table_.render != nullptr) {
            require_ok(table_.render(simulation_, alpha, &message_), message_);
        }
    }
    core::StateHash hash() {
        std::uint32_t count = 0;
        require_ok(table_.hash(simulation_, parts_.data(), ISOTICK_MOST_PARTS, &count, &message_),
                   message_);
        hashes_.clear();
        for (std::uint32_t i = 0; i < count; ++i) {
            hashes_.push_back({parts_[i].hash});
        }
        return core::hash_parts(hashes_);
    }

  private:
    const isotick_simulation_table& table_;
    isotick_simulation* simulation_ = nullptr;
    isotick_step step_{};
    std::array<char, 1024> text_{};
    isotick_message message_{text_.data(), text_.size()};
    std::vector<isotick_part> parts_;
    std::vector<core::PartHash> hashes_;
};

}  // namespace

BareLoop::BareLoop(const std::string& recording) {
    auto reader = value_or_throw(replay::Reader::open(recording));
    head_ = reader.head();
    table_ = core::find_reference_simulation(head_.session.simulation);
    hashes_.push_back(reader.initial().state);
    while (const replay::TickChunk* chunk = value_or_throw(reader.next())) {
        for (std::uint32_t i = 0; i < chunk->ticks(); ++i) {
            const auto inputs = chunk->inputs(i);
            inputs_.emplace_back(inputs.begin(), inputs.end());
            bytes_.emplace_back();
            for (isotick_input& input : inputs_.back()) {
                bytes_.back().emplace_back(input.data, input.data + input.size);
                input.data = bytes_.back().back().data();
            }
            hashes_.push_back(chunk->state_hash(i).value());
        }
        session_digest_ = chunk->session_digest();
    }
    blank_ = inputs_.at(0);
    for (isotick_input& input : blank_) {
        input = {input.player, 0, 0, nullptr};
    }
}

BareTrial BareLoop::prepare(const harness::TrialPlan& plan) const {
    BareTrial trial;
    trial.without_inputs = !plan.inputs.empty();
    auto loop = value_or_throw(core::AccumulatorLoop::make(head_.session.rate, plan.drive.loop));
    auto frames = plan.drive.schedule.frames(head_.session.rate);
    for (std::uint64_t left = inputs_.size(); left > 0;) {
        const core::FrameTime frame_time = frames.next();
        const core::FramePlan frame = loop.advance(frame_time);
        const std::uint64_t ticks = std::min(frame.ticks, left);
        trial.frames.push_back({frame_time.nanoseconds, ticks, frame.alpha});
        left -= ticks;
    }
    return trial;
}

BareWork BareLoop::run(const BareTrial& trial) const {
    Instance simulation(*table_, head_.session);
    BareWork work;
    bool agreed = simulation.hash() == hashes_.front();
    for (const BareFrame& frame : trial.frames) {
        simulation.begin_frame(frame.frame_time_ns);
        for (std::uint64_t i = 0; i < frame.ticks && agreed; ++i) {
            simulation.step(work.ticks, trial.without_inputs ? blank_ : inputs_[work.ticks]);
            ++work.ticks;
            agreed = simulation.hash() == hashes_[work.ticks];
        }
        simulation.render(frame.alpha);
        ++work.frames;
        if (!agreed) {
            break;
        }
    }
    if (!agreed && !trial.without_inputs) {
        throw std::runtime_error("the bare loop diverges");
    }
    return work;
}

}  // namespace isotick::bench
