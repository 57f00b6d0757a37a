#include "session_inputs.hpp"

#include <isotick/core/detail/try.hpp>
#include <isotick/replay/reader.hpp>

#include <cstring>

namespace isotick::harness {

using core::ErrorCode;

bool same_input(const isotick_input& left, const isotick_input& right) {
    return left.present == right.present && left.size == right.size &&
           (left.size == 0 || left.data == right.data ||
            std::memcmp(left.data, right.data, static_cast<std::size_t>(left.size)) == 0);
}

core::Result<SessionInputs> SessionInputs::read(const std::string& recording, std::uint64_t most) {
    ISOTICK_TRY_ASSIGN(auto reader, replay::Reader::open(recording));
    SessionInputs inputs(reader.head().session.players);
    for (const replay::TickChunk* chunk = nullptr; inputs.ticks() < most;) {
        ISOTICK_TRY_ASSIGN(chunk, reader.next());
        if (chunk == nullptr) {
            break;
        }
        inputs.digest_ = chunk->session_digest();
        if (chunk->own_dts() > 0) {
            return core::fail(ErrorCode::usage,
                              "ticks with a dt of their own, which peers do not tell each other");
        }
        for (std::uint32_t row = 0; row < chunk->ticks() && inputs.ticks() < most; ++row) {
            inputs.append(chunk->inputs(row));
        }
    }
    if (reader.damage()) {
        return core::fail(ErrorCode::damaged, "damaged at byte " +
                                                  std::to_string(reader.damage()->offset) + ": " +
                                                  reader.damage()->reason);
    }
    return inputs;
}

void SessionInputs::append(std::span<const isotick_input> inputs) {
    const std::size_t before = inputs_.size();
    for (std::size_t i = 0; i < columns_; ++i) {
        isotick_input input = inputs[i];
        if (before >= columns_ && same_input(input, inputs_[before - columns_ + i])) {
            input = inputs_[before - columns_ + i];
        } else if (input.size > 0) {
            input.data = bytes_.emplace_back(input.data, input.data + input.size).data();
        }
        inputs_.push_back(input);
    }
}

}  // namespace isotick::harness
