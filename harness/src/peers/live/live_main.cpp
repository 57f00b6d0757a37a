#include "live_main.hpp"

#include "../../platform/processes/keeper.hpp"
#include "../../platform/processes/limits.hpp"
#include "live_channel.hpp"
#include "live_peer.hpp"
#include "relay/relay.hpp"

#include <array>
#include <fcntl.h>

namespace isotick::harness {
namespace {

using core::Result;

LiveAnswer answer_to(const LiveRequest& request, SimulationCatalog& catalog) {
    if (const auto* relay = std::get_if<RelayRequest>(&request.role)) {
        const auto answer = run_relay(request, *relay);
        return answer ? LiveAnswer(*answer) : LiveAnswer(answer.error());
    }
    const auto answer = run_live_peer(request, std::get<LivePeerRequest>(request.role), catalog);
    return answer ? LiveAnswer(*answer) : LiveAnswer(answer.error());
}

}  // namespace

std::optional<int> run_if_live(std::span<const char* const> arguments, SimulationCatalog& catalog) {
    if (arguments.size() < 2 || arguments[1] != kLiveArgument) {
        return std::nullopt;
    }
    leave_no_core_file();
    constexpr std::array kInherited{kWorkerSocket, kWorkerRequest, kWorkerResponse};
    for (const int inherited : kInherited) {
        fcntl(inherited, F_SETFD, FD_CLOEXEC);  // not for what a simulation starts
    }
    const auto kept = keep(arguments, kInherited);
    if (!kept) {
        return kBrokenChannel;
    }
    if (*kept) {
        end_like((*kept)->process);
    }
    const auto bytes = get_content(kWorkerRequest);
    const auto request = bytes ? parse_live_request(*bytes) : tl::unexpected(bytes.error());
    if (!request) {
        return kBrokenChannel;
    }
    const LiveAnswer answer = answer_to(*request, catalog);
    return put_content(kWorkerResponse, bytes_of(answer)) ? 0 : kBrokenChannel;
}

}  // namespace isotick::harness
