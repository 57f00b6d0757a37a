#pragma once
// How a failing case drives its session, as a note in the recording: `isotick minimize` leaves it,
// and verify runs it first.

#include <isotick/core/detail/loop_options.hpp>
#include <isotick/core/result.hpp>
#include <isotick/core/schedule.hpp>

#include <string>
#include <string_view>

namespace isotick::harness {

/// The key of the note.
inline constexpr const char* kReproNote = "isotick.repro";

struct Repro {
    core::LoopOptions loop;
    core::Schedule schedule = core::Schedule::nominal();
};

/// `accumulator | 2290xnominal, 101.4ms`: the loop, then the schedule. parse_repro reads it back.
[[nodiscard]] std::string to_string(const Repro& repro);

/// Fails with ErrorCode::usage and what is wrong.
[[nodiscard]] core::Result<Repro> parse_repro(std::string_view text);

}  // namespace isotick::harness
