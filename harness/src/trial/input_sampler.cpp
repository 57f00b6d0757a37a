#include "input_sampler.hpp"

namespace isotick::harness {
namespace {

// Keeps the inputs' random numbers apart from those that a simulation draws from the same seed.
constexpr std::uint64_t kInputStream = 0x69736f7469636b;

constexpr std::uint32_t kLongestRandomInput = 16;

}  // namespace

InputSampler::InputSampler(InputSource source, std::uint32_t players, std::uint64_t seed)
    : source_(source), random_(seed, kInputStream), bytes_(players + 1), inputs_(players + 1) {
    for (std::uint32_t player = 0; player < players; ++player) {
        inputs_[player] = {player, 0, 0, nullptr};
    }
    inputs_[players] = {ISOTICK_WORLD, 0, 0, nullptr};
}

core::Result<void> InputSampler::open(const std::string& recording, const InputEdits& edits) {
    if (source_ != InputSource::recording) {
        return {};
    }
    auto reader = replay::Reader::open(recording);
    if (!reader) {
        return tl::unexpected(reader.error());
    }
    if (reader->head().session.players + std::size_t{1} != inputs_.size()) {
        return core::fail(core::ErrorCode::usage, recording + " has another number of players");
    }
    recording_ = *std::move(reader);
    ticks_.emplace(*recording_);
    const auto players = static_cast<std::uint32_t>(inputs_.size() - 1);
    return InputEditor::make(edits, players).map([this](InputEditor&& editor) {
        editor_ = std::move(editor);
    });
}

core::Result<void> InputSampler::begin_tick() {
    if (!ticks_) {
        return {};
    }
    const auto there = ticks_->advance();
    if (!there) {
        return tl::unexpected(there.error());
    }
    if (!*there) {
        return core::fail(core::ErrorCode::damaged, "the recorded inputs end too early");
    }
    edited_ = editor_->apply(ticks_->tick(), ticks_->inputs());
    return {};
}

core::Result<void> InputSampler::sample(core::Simulation& simulation, core::Tick tick) {
    if (source_ == InputSource::none || source_ == InputSource::recording) {
        return {};
    }
    for (std::size_t column = 0; column < inputs_.size(); ++column) {
        if (source_ == InputSource::random) {
            draw_random(column);
            continue;
        }
        const auto proposed = simulation.propose_input(inputs_[column].player, tick,
                                                       random_.next64(), bytes_[column]);
        if (!proposed) {
            return tl::unexpected(proposed.error());
        }
        inputs_[column] = *proposed;
    }
    return {};
}

// A third of all samples are absent; the others are 0 to 16 bytes long. The world has none.
void InputSampler::draw_random(std::size_t column) {
    isotick_input& input = inputs_[column];
    if (input.player == ISOTICK_WORLD) {
        return;
    }
    const bool present = !random_.chance(1, 3);
    std::vector<std::uint8_t>& bytes = bytes_[column];
    bytes.resize(present ? random_.below(kLongestRandomInput + 1) : 0);
    for (std::uint8_t& byte : bytes) {
        byte = static_cast<std::uint8_t>(random_.below(256));
    }
    input = {input.player, present ? 1U : 0U, bytes.size(), bytes.data()};
}

std::uint64_t InputSampler::present() const {
    std::uint64_t count = 0;
    for (const isotick_input& input : inputs()) {
        count += input.present;
    }
    return count;
}

}  // namespace isotick::harness
