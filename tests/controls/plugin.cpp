// The arena with the rule that the environment names: control=NAME, or control=NAME-clean for its
// clean twin, or several: control=NAME+NAME. The session is the same for all, and so is what a
// recording holds of it.

#include "arena.hpp"

#include <isotick/core/adapter.hpp>

#include <algorithm>
#include <cfenv>
#include <memory>
#include <string_view>
#include <vector>

namespace isotick::controls {
namespace {

using Rules = std::vector<std::unique_ptr<Rule>>;

std::unique_ptr<Rule> find_rule(std::string_view name, const Rule::Start& start) {
    for (const auto& controls :
         {address_controls(), cause_controls(), clock_controls(), float_controls(),
          frame_controls(), host_controls(), input_controls(), instance_controls(),
          memory_controls(), observing_controls(), random_controls(), render_controls(),
          snapshot_controls(), start_controls(), container_controls(), thread_controls()}) {
        for (const Control& control : controls) {
            if (control.name == name) {
                return control.make(start);
            }
        }
    }
    throw core::BadSettings("control=" + std::string(name) + ": there is no such control");
}

Rules find_rules(const core::SimulationSetup& setup) {
    std::string_view names = setup.environment.find("control").value_or("");
    constexpr std::string_view kClean = "-clean";
    const bool clean = names.ends_with(kClean);
    names.remove_suffix(clean ? kClean.size() : 0);
    Rules rules;
    for (bool more = true; more;) {
        const std::size_t end = std::min(names.find('+'), names.size());
        rules.push_back(find_rule(names.substr(0, end), {clean, setup}));
        more = end < names.size();
        names.remove_prefix(more ? end + 1 : end);
    }
    return rules;
}

// Floats to nearest and with denormals while it lives, as lockstep games demand them.
class OwnFloats {
  public:
    explicit OwnFloats(const Rules& rules)
        : own_(std::ranges::none_of(
              rules, [](const auto& rule) { return rule->takes_floats_as_they_are(); })) {
        if (own_) {
            std::fegetenv(&host_);
            std::fesetenv(FE_DFL_ENV);
        }
    }
    ~OwnFloats() {
        if (own_) {
            std::fesetenv(&host_);
        }
    }
    OwnFloats(const OwnFloats&) = delete;
    OwnFloats& operator=(const OwnFloats&) = delete;

  private:
    bool own_;
    std::fenv_t host_{};
};

class Arena {
  public:
    static constexpr core::SimulationInfo kInfo{
        .name = "arena",
        .summary = "a game with a planted desync: control=NAME in the environment",
        .config_help = "workers=N",
        .most_players = 2,
        .usual_players = 2};

    explicit Arena(const core::SimulationSetup& setup)
        : world_(make_world(setup.seed)), rules_(find_rules(setup)) {
        for (const auto& rule : rules_) {
            rule->started(world_);
        }
    }

    void begin_frame(core::FrameTime frame_time) {
        const OwnFloats floats(rules_);
        for (const auto& rule : rules_) {
            rule->begin_frame(world_, frame_time);
        }
    }

    void step(const core::Step& step) {
        const OwnFloats floats(rules_);
        play(world_, step);
        for (const auto& rule : rules_) {
            rule->step(world_, step);
        }
    }

    void render(double alpha) {
        const OwnFloats floats(rules_);
        for (const auto& rule : rules_) {
            rule->render(world_, alpha);
        }
    }

    bool propose_input(const core::Proposal& proposal, std::vector<std::uint8_t>& bytes) const {
        const std::uint64_t held = proposal.tick.value / 12 + proposal.player;
        const std::uint64_t fire = proposal.entropy % 4 == 0 ? kFire : 0;
        bytes.assign(1, static_cast<std::uint8_t>((held * 7 % 16) | fire));
        return proposal.entropy % 16 != 1;
    }

    template <class Archive>
    void serialize(Archive& archive) {
        world_.serialize(archive);
        for (const auto& rule : rules_) {
            if constexpr (std::is_same_v<Archive, core::SaveArchive>) {
                archive(rule->more_to_save());
            } else if constexpr (std::is_same_v<Archive, core::LoadArchive>) {
                std::uint64_t more = 0;
                archive(more);
                rule->load_more(more);
                rule->loaded(world_);
            } else {
                rule->hashed();
            }
        }
    }

  private:
    World world_;
    Rules rules_;
};

}  // namespace
}  // namespace isotick::controls

ISOTICK_SIMULATION(isotick::controls::Arena)
