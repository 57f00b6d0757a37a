#pragma once
// Answers to single requests of harness/PROTOCOL.md.

#include "wire.hpp"

#include <isotick/core/simulation.hpp>

#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

namespace isotick::harness {

/// One simulation of a table, asked by messages. Whatever they say, the simulation is asked only
/// what plugin.h allows.
class ServedSimulation {
  public:
    /// `table` must outlive this.
    explicit ServedSimulation(const isotick_simulation_table& table) : table_(table) {}

    /// Appends the answer to a request for `verb` to `answers`.
    void answer(std::uint8_t verb, std::span<const std::byte> body, core::Bytes& answers);

  private:
    using Done = core::Result<void>;

    [[nodiscard]] Done fill(Verb verb, core::ByteReader& body, core::Bytes& out);
    [[nodiscard]] Done hello(core::ByteReader& body, core::Bytes& out);
    [[nodiscard]] Done create(core::ByteReader& body, core::Bytes& out);
    [[nodiscard]] Done step(core::ByteReader& body, core::Bytes& out);
    void pass_checkpoint(const char* name) noexcept;
    [[nodiscard]] Done check_time(const isotick_step& step) const;
    [[nodiscard]] Done take_inputs(core::ByteReader& body, isotick_step& step);
    [[nodiscard]] Done render(core::ByteReader& body);
    [[nodiscard]] Done hash(core::Bytes& out);
    [[nodiscard]] Done note_writes(core::ByteReader& body, core::Bytes& out);
    [[nodiscard]] Done propose_input(core::ByteReader& body, core::Bytes& out);
    [[nodiscard]] Done describe_input(core::ByteReader& body, core::Bytes& out);
    [[nodiscard]] Done compose_input(core::ByteReader& body, core::Bytes& out);
    [[nodiscard]] Done ask_created(Verb verb, core::ByteReader& body, core::Bytes& out);
    [[nodiscard]] std::uint64_t verbs() const;

    const isotick_simulation_table& table_;
    std::optional<core::Simulation> simulation_;
    bool greeted_ = false;
    bool failed_ = false;  // what comes after that, the simulation is not asked
    std::uint32_t players_ = 0;
    core::TickDt dt_{core::TickRate()};           // of the tick rate
    std::optional<std::uint64_t> next_tick_ = 0;  // none: whatever comes
    std::vector<isotick_input> inputs_;
    std::set<std::string, std::less<>> passed_;  // checkpoints: each is told once
    std::vector<std::string> newly_passed_;      // in this step
    std::vector<std::uint8_t> proposed_;
};

}  // namespace isotick::harness
