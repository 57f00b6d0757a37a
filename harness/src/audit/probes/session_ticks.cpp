#include "session_ticks.hpp"

#include <isotick/core/detail/try.hpp>
#include <isotick/harness/detail/simulations/match.hpp>
#include <isotick/replay/detail/recorded_ticks.hpp>
#include <isotick/replay/reader.hpp>

#include <utility>

namespace isotick::harness {
namespace {

using core::ErrorCode;
using core::Result;

constexpr std::size_t kMostBytes = std::size_t{256} << 20;

}  // namespace

Result<SessionTicks> SessionTicks::read(const std::string& path, std::uint64_t most) {
    ISOTICK_TRY_ASSIGN(auto reader, replay::Reader::open(path));
    SessionTicks session;
    session.head_ = reader.head();
    session.columns_ = std::size_t{session.head_.session.players} + 1;
    session.recorded_.emplace_back(reader.initial().state);
    replay::RecordedTicks ticks(reader);
    while (session.ticks() < most && session.bytes_.size() < kMostBytes) {
        ISOTICK_TRY_ASSIGN(const auto more, ticks.advance());
        if (!more) {
            break;
        }
        session.keep(ticks.inputs());
        session.dts_.push_back(ticks.dt());
        session.recorded_.push_back(ticks.state_hash());
    }
    if (session.ticks() == 0) {
        return core::fail(ErrorCode::damaged, "there is no intact tick in the recording");
    }
    session.point_inputs_to_bytes();
    return session;
}

void SessionTicks::keep(std::span<const isotick_input> inputs) {
    for (const isotick_input& input : inputs) {
        inputs_.push_back(input);
        if (input.size != 0) {
            bytes_.insert(bytes_.end(), input.data, input.data + input.size);
        }
    }
}

// Only now do the bytes stay where they are.
void SessionTicks::point_inputs_to_bytes() {
    const std::uint8_t* place = bytes_.data();
    for (isotick_input& input : inputs_) {
        input.data = input.size == 0 ? nullptr : place;
        place += input.size;
    }
    absent_.assign(inputs_.begin(), inputs_.begin() + static_cast<std::ptrdiff_t>(columns_));
    for (isotick_input& input : absent_) {
        input = {input.player, 0, 0, nullptr};
    }
}

std::uint64_t SessionTicks::inputs_present() const {
    std::uint64_t count = 0;
    for (const isotick_input& input : inputs_) {
        count += input.present;
    }
    return count;
}

}  // namespace isotick::harness
