#pragma once
// What the audited simulations of the tests have in common: a counter that inputs change.

#include <isotick/core/adapter.hpp>

#include <cstdint>
#include <type_traits>
#include <vector>

namespace isotick::harness::testing {

class Counter {
  public:
    static constexpr core::SimulationInfo kInfo{.name = "counter",
                                                .most_players = 1,
                                                .usual_players = 1,
                                                .capabilities = ISOTICK_MANY_INSTANCES};

    bool propose_input(const core::Proposal& proposal, std::vector<std::uint8_t>& bytes) const {
        bytes.assign(1, static_cast<std::uint8_t>(proposal.entropy));
        return proposal.player == 0 && proposal.entropy % 4 == 0;
    }

  protected:
    void count(const core::Step& step) {
        if (const auto input = step.inputs.of(0); input && !input->empty()) {
            total += input->front();
        }
        total += 1;
    }

    std::uint64_t total = 0;
};

template <class Archive>
constexpr bool kIsSave = std::is_same_v<Archive, core::SaveArchive>;
template <class Archive>
constexpr bool kIsLoad = std::is_same_v<Archive, core::LoadArchive>;
template <class Archive>
constexpr bool kIsHash = std::is_same_v<Archive, core::HashArchive>;

}  // namespace isotick::harness::testing
