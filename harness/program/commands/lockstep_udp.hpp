#pragma once
// `isotick lockstep --transport udp`: one session of real processes.

#include "../output/console.hpp"
#include "lockstep_options.hpp"

#include <isotick/harness/detail/udp_session.hpp>
#include <isotick/replay/detail/recording_head.hpp>

#include <string>

namespace isotick::program {

/// Succeeds if all options go with each other and with the transport; the message names one.
[[nodiscard]] core::Result<void> check_transport(const LockstepCommandOptions& options);

/// How long the session may take in real time, in milliseconds: generously.
[[nodiscard]] std::uint64_t udp_patience_ms(const harness::LockstepPlan& plan, std::uint64_t ticks,
                                            core::TickRate rate, std::uint32_t speed);

/// A run and what it is of.
struct UdpShown {
    const harness::UdpPlan& plan;
    const harness::UdpOutcome& outcome;
    const replay::RecordingHead& head;
};

[[nodiscard]] std::string udp_text(const UdpShown& shown, const LockstepCommandOptions& options,
                                   const Console& console);
[[nodiscard]] std::string udp_json(const UdpShown& shown, const LockstepCommandOptions& options);

}  // namespace isotick::program
