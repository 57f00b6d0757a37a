#include "input_sampler.hpp"

#include <isotick/core/detail/seam/described_input.hpp>
#include <isotick/core/detail/try.hpp>

#include <utility>

namespace isotick::harness {
namespace {

// Keeps the inputs' random numbers apart from those that a simulation draws from the same seed.
constexpr std::uint64_t kInputStream = 0x69736f7469636b;

// The table's description of one player's inputs; none where it describes nothing.
std::optional<InputWords> input_words(const isotick_simulation_table& table, std::uint32_t player,
                                      Progress& progress) {
    if (!core::describes_inputs(table)) {
        return std::nullopt;
    }
    const auto asked = [&progress](auto answer) {
        progress.enter(Activity::describing_inputs);
        auto result = answer();
        return result ? std::optional(*std::move(result)) : std::nullopt;
    };
    return InputWords{[=, &table](std::span<const std::uint8_t> bytes) {
                          return asked([&] { return core::describe_input(table, player, bytes); });
                      },
                      [=, &table](std::string_view json) {
                          return asked([&] { return core::compose_input(table, player, json); });
                      }};
}

}  // namespace

InputSampler::InputSampler(InputSource source, std::uint32_t players, std::uint64_t seed)
    : source_(source),
      seed_(seed),
      random_(seed, kInputStream),
      bytes_(players + 1),
      inputs_(players + 1) {
    for (std::uint32_t player = 0; player < players; ++player) {
        inputs_[player] = {player, 0, 0, nullptr};
    }
    inputs_[players] = {ISOTICK_WORLD, 0, 0, nullptr};
}

core::Result<void> InputSampler::open(const std::string& recording, const InputEdits& edits) {
    if (source_ != InputSource::recording) {
        return {};
    }
    ISOTICK_TRY_ASSIGN(auto reader, replay::Reader::open(recording));
    if (reader.head().session.players + std::size_t{1} != inputs_.size()) {
        return core::fail(core::ErrorCode::usage, recording + " has another number of players");
    }
    recording_ = std::move(reader);
    ticks_.emplace(*recording_);
    const auto players = static_cast<std::uint32_t>(inputs_.size() - 1);
    return InputEditor::make(edits, players).map([this](InputEditor&& editor) {
        editor_ = std::move(editor);
    });
}

core::Result<void> InputSampler::learn(const isotick_simulation_table& table, Progress& progress) {
    if (source_ != InputSource::random) {
        return {};
    }
    for (const isotick_input& input : inputs_) {
        auto words = input_words(table, input.player, progress);
        if (input.player == ISOTICK_WORLD && !words) {
            continue;
        }
        drawn_.emplace_back(seed_, input.player, std::move(words));
        if (input.player != ISOTICK_WORLD && !drawn_.back().has_examples()) {
            return core::fail(core::ErrorCode::usage,
                              std::string(table.info->name) +
                                  " describes inputs, but no description works for player " +
                                  std::to_string(input.player) +
                                  ": its compose_input took none of {}, [], 0, false and \"\", its "
                                  "describe_input no bytes that were tried; let it compose one of "
                                  "{}, or record with --inputs bot or none");
        }
    }
    return {};
}

core::Result<void> InputSampler::begin_tick() {
    if (!ticks_) {
        return {};
    }
    ISOTICK_TRY_ASSIGN(const auto there, ticks_->advance());
    if (!there) {
        return core::fail(core::ErrorCode::damaged, "the recorded inputs end too early");
    }
    edited_ = editor_->apply(ticks_->tick(), ticks_->inputs());
    return {};
}

core::Result<void> InputSampler::sample(core::Simulation& simulation, core::Tick tick) {
    if (source_ == InputSource::none || source_ == InputSource::recording) {
        return {};
    }
    if (source_ == InputSource::random) {
        for (std::size_t column = 0; column < drawn_.size(); ++column) {
            inputs_[column] = drawn_[column].sample();
        }
        return {};
    }
    for (std::size_t column = 0; column < inputs_.size(); ++column) {
        ISOTICK_TRY_ASSIGN(inputs_[column],
                           simulation.propose_input(inputs_[column].player, tick, random_.next64(),
                                                    bytes_[column]));
    }
    return {};
}

std::uint64_t InputSampler::present() const {
    std::uint64_t count = 0;
    for (const isotick_input& input : inputs()) {
        count += input.present;
    }
    return count;
}

}  // namespace isotick::harness
