#include "fake_session.hpp"

#include "peers/session_inputs.hpp"

#include <isotick/core/detail/bytes.hpp>
#include <isotick/core/hash.hpp>
#include <isotick/core/random.hpp>

#include <algorithm>
#include <map>

namespace isotick::harness {
namespace {

std::uint64_t next_state(std::uint64_t state, std::span<const isotick_input> inputs) {
    core::Bytes bytes;
    core::put(bytes, state);
    for (const isotick_input& input : inputs) {
        core::put_varint(bytes, input.player);
        core::put_varint(bytes, input.present);
        core::put_varint(bytes, input.size);
        if (input.size > 0) {
            core::put_bytes(bytes, std::as_bytes(std::span(input.data, input.size)));
        }
    }
    return core::hash_bytes(bytes);
}

std::vector<isotick_input> counting(const SessionInputs& inputs, std::uint64_t tick,
                                    const InputEdits& absences) {
    const auto recorded = inputs.of(core::Tick{tick});
    std::vector<isotick_input> counted(recorded.begin(), recorded.end());
    for (const InputEdit& edit : absences) {
        if (edit.first.value <= tick && tick <= edit.last.value) {
            const std::size_t column =
                *edit.player == ISOTICK_WORLD ? inputs.players() : *edit.player;
            counted[column] = {*edit.player, 0, 0, nullptr};
        }
    }
    return counted;
}

// What a peer takes for a player's input.
void put(const GuessedInput& guessed, std::vector<isotick_input>& row) {
    isotick_input& input = row[std::min<std::size_t>(guessed.player, row.size() - 1)];
    input.present = guessed.bytes ? 1 : 0;
    input.size = guessed.bytes ? guessed.bytes->size() : 0;
    input.data = guessed.bytes ? guessed.bytes->data() : nullptr;
}

}  // namespace

SessionInputs pad_inputs(std::uint32_t players, std::uint64_t ticks, std::uint64_t seed) {
    core::Pcg32 random(seed, 7);
    SessionInputs inputs(players);
    std::vector<std::vector<std::uint8_t>> pads(players + 1);
    std::vector<isotick_input> row(players + 1);
    for (std::uint64_t tick = 0; tick < ticks; ++tick) {
        for (std::uint32_t i = 0; i <= players; ++i) {
            if (tick == 0 || random.below(i == players ? 60 : 8) == 0) {
                pads[i].resize(random.below(5));
                for (std::uint8_t& byte : pads[i]) {
                    byte = static_cast<std::uint8_t>(random.below(256));
                }
            }
            const bool present = pads[i].size() < 4;
            row[i] = {i == players ? ISOTICK_WORLD : i, present ? 1U : 0U,
                      present ? pads[i].size() : 0, pads[i].data()};
        }
        inputs.append(row);
    }
    return inputs;
}

std::vector<std::uint64_t> offline_states(const SessionInputs& inputs, const InputEdits& absences) {
    std::vector<std::uint64_t> states;
    std::uint64_t state = 0;
    for (std::uint64_t tick = 0; tick < inputs.ticks(); ++tick) {
        state = next_state(state, counting(inputs, tick, absences));
        states.push_back(state);
    }
    return states;
}

std::optional<CourseFailure> execute(const PeerRun& run, const SessionInputs& inputs,
                                     const InputEdits& absences,
                                     const std::vector<std::uint64_t>& states) {
    const Course& course = run.course;
    std::uint64_t tick = course.first_tick;
    std::uint64_t state = tick == 0 ? 0 : states[tick - 1];
    std::uint64_t finals = course.first_tick;
    std::map<std::uint64_t, std::uint64_t> saved;
    std::size_t step = 0;
    std::size_t guess = 0;
    for (const CourseFrame& frame : course.frames) {
        if (frame.back > 0) {
            tick -= frame.back;
            if (!saved.contains(tick)) {
                return CourseFailure{tick, "no snapshot to go back to"};
            }
            state = saved[tick];
        }
        for (std::uint32_t i = 0; i < frame.steps; ++i, ++step, ++tick) {
            if (course.steps[step].saves) {
                saved[tick] = state;
            }
            auto row = counting(inputs, tick, absences);
            for (; guess < course.guesses.size() && course.guesses[guess].step == step; ++guess) {
                put(course.guesses[guess], row);
            }
            state = next_state(state, row);
            if (course.steps[step].final) {
                if (tick != finals++) {
                    return CourseFailure{tick, "a final tick out of order"};
                }
                if (state != states[tick]) {
                    return CourseFailure{tick, "another state than offline"};
                }
            }
        }
    }
    if (finals != std::max(run.verified, course.first_tick)) {
        return CourseFailure{finals, "verified " + std::to_string(run.verified) + " ticks"};
    }
    return std::nullopt;
}

std::string failures_of(const SessionCourse& course, const SessionInputs& inputs) {
    std::string failures;
    const auto states = offline_states(inputs, course.absences);
    for (const PeerRun& run : course.runs) {
        const std::string who =
            "peer " + std::to_string(run.peer) + "." + std::to_string(run.incarnation) + ": ";
        if (const auto failure = execute(run, inputs, course.absences, states)) {
            failures += who + "tick " + std::to_string(failure->tick) + ": " + failure->what + "\n";
        }
        if (course.end != SessionEnd::finished) {
            failures += who + std::string(to_string(run.state)) + " at " +
                        std::to_string(run.verified) + ", waits for " +
                        std::to_string(run.waits_for) + "\n";
        }
        for (const std::string& complaint : run.complaints) {
            failures += who + "complains of " + complaint + "\n";
        }
        const PeerStatistics& counted = run.statistics;
        if (counted.steps != run.course.steps.size() ||
            counted.steps - counted.run_again + run.course.first_tick < run.verified) {
            failures += who + "counts " + std::to_string(counted.steps) + " steps\n";
        }
    }
    for (const PeerRun& one : course.runs) {
        for (const PeerRun& other : course.runs) {
            const auto gap = first_gap(one.presence, other.presence);
            if (gap && gap->tick < std::min(one.verified, other.verified)) {
                failures += "peers " + std::to_string(one.peer) + " and " +
                            std::to_string(other.peer) + " do not agree on who was there at " +
                            std::to_string(gap->tick) + "\n";
            }
        }
    }
    return failures;
}

}  // namespace isotick::harness
