#pragma once
// Answers to single requests of harness/PROTOCOL.md.

#include "wire.hpp"

#include <isotick/core/simulation.hpp>

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace isotick::harness {

/// One simulation of a table, asked by messages.
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
    [[nodiscard]] Done step(core::ByteReader& body);
    [[nodiscard]] Done hash(core::Bytes& out);
    [[nodiscard]] Done propose_input(core::ByteReader& body, core::Bytes& out);
    [[nodiscard]] Done describe_input(core::ByteReader& body, core::Bytes& out);
    [[nodiscard]] Done compose_input(core::ByteReader& body, core::Bytes& out);
    [[nodiscard]] Done ask_created(Verb verb, core::ByteReader& body, core::Bytes& out);
    [[nodiscard]] std::uint64_t verbs() const;

    const isotick_simulation_table& table_;
    std::optional<core::Simulation> simulation_;
    bool greeted_ = false;
    std::vector<isotick_input> inputs_;
    std::vector<std::uint8_t> proposed_;
};

}  // namespace isotick::harness
