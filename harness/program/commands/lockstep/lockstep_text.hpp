#pragma once
// What `isotick lockstep` says.

#include "../../output/console.hpp"
#include "lockstep_options.hpp"

#include <isotick/harness/lockstep.hpp>

#include <string>

namespace isotick::program {

[[nodiscard]] std::string lockstep_text(const harness::LockstepReport& report,
                                        const LockstepCommandOptions& options,
                                        const Console& console);
[[nodiscard]] std::string lockstep_json(const harness::LockstepReport& report,
                                        const LockstepCommandOptions& options);

/// `packet 3→1 at 412 ms dropped`.
[[nodiscard]] std::string packet_text(const harness::LoggedPacket& packet);

/// Bytes of IPv4 and UDP headers that go with each packet.
inline constexpr std::uint64_t kHeaderBytes = 28;

}  // namespace isotick::program
