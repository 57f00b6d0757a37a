#pragma once
// All inputs of a session, in memory: peers ask for them in any order.

#include <isotick/core/hash.hpp>
#include <isotick/core/plugin.h>
#include <isotick/core/result.hpp>
#include <isotick/core/time.hpp>

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace isotick::harness {

/// The inputs of the first ticks of a session. Inputs that stay the same share their bytes.
class SessionInputs {
  public:
    /// Of so many players; no ticks yet.
    explicit SessionInputs(std::uint32_t players = 0) : columns_(std::size_t{players} + 1) {}

    /// Those of a recording, `most` ticks of them. Fails where it cannot be read, is damaged before
    /// that, or has ticks with a dt of their own.
    [[nodiscard]] static core::Result<SessionInputs> read(const std::string& recording,
                                                          std::uint64_t most);

    /// The next tick's: players in order, the world's last. The bytes are copied.
    void append(std::span<const isotick_input> inputs);

    [[nodiscard]] std::uint32_t players() const { return static_cast<std::uint32_t>(columns_ - 1); }
    /// Of the recording, up to the last chunk that was read.
    [[nodiscard]] const core::Digest& session_digest() const { return digest_; }
    [[nodiscard]] std::uint64_t ticks() const { return inputs_.size() / columns_; }
    /// Those of a tick that there is.
    [[nodiscard]] std::span<const isotick_input> of(core::Tick tick) const {
        return std::span(inputs_).subspan(static_cast<std::size_t>(tick.value) * columns_,
                                          columns_);
    }

  private:
    std::size_t columns_;
    core::Digest digest_;
    std::vector<isotick_input> inputs_;
    std::deque<std::vector<std::uint8_t>> bytes_;  // that inputs_ points into
};

/// Whether two inputs are the same.
[[nodiscard]] bool same_input(const isotick_input& left, const isotick_input& right);

}  // namespace isotick::harness
