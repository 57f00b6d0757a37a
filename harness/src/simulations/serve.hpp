#pragma once
// The serving side of PROTOCOL.md: a loop over a stream of messages.

#include "served_simulation.hpp"

#include <isotick/core/result.hpp>

#include <cstdint>
#include <span>

namespace isotick::harness {

// The requests of harness/PROTOCOL.md one behind another, from wherever they come.

/// Cuts what comes in into requests, and has a simulation answer them.
class ServedStream {
  public:
    /// `table` must outlive this.
    explicit ServedStream(const isotick_simulation_table& table) : served_(table) {}

    /// Takes what comes next, whatever it begins and ends with.
    void add(std::span<const std::byte> bytes);

    /// Appends the answer to the next request to `answers`; false where none is there as a whole.
    /// Fails with `damaged` on a size that no request has: then nobody knows where the next begins.
    [[nodiscard]] core::Result<bool> answer_next(core::Bytes& answers);

    /// To be called where nothing comes any more. Fails with `damaged` within a request.
    [[nodiscard]] core::Result<void> end() const;

  private:
    struct Head {
        std::uint32_t size = 0;
        std::uint8_t verb = 0;
    };

    [[nodiscard]] std::span<const std::byte> rest() const {
        return std::span<const std::byte>(requests_).subspan(done_);
    }
    // None where even that is not there yet.
    [[nodiscard]] std::optional<Head> next_head() const;

    ServedSimulation served_;
    core::Bytes requests_;
    std::size_t done_ = 0;  // of them are answered
};

}  // namespace isotick::harness
