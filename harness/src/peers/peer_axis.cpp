// The axis `peer`: the trial is what one peer of a session does over a network, as in
// `peer=2 of rollback; 4 peers; network mobile; seed 7`.

#include "../axes/axis.hpp"
#include "session_inputs.hpp"

#include <isotick/core/detail/try.hpp>
#include <isotick/harness/detail/session_course.hpp>
#include <isotick/replay/reader.hpp>

#include <algorithm>
#include <charconv>

namespace isotick::harness {
namespace {

using core::ErrorCode;
using core::Result;

struct PeerOfPlan {
    std::uint32_t peer = 0;
    LockstepPlan plan;
};

Result<PeerOfPlan> parse_peer(std::string_view value) {
    PeerOfPlan parsed;
    const auto [end, error] =
        std::from_chars(value.data(), value.data() + value.size(), parsed.peer);
    std::string_view rest = value.substr(static_cast<std::size_t>(end - value.data()));
    constexpr std::string_view kOf = " of ";
    if (error != std::errc() || !rest.starts_with(kOf)) {
        return core::fail(ErrorCode::usage,
                          "expected a peer of a plan such as '2 of rollback; 4 peers', not '" +
                              std::string(value) + "'");
    }
    rest.remove_prefix(kOf.size());
    ISOTICK_TRY_ASSIGN(parsed.plan, parse_lockstep_plan(rest));
    if (parsed.peer >= parsed.plan.peers) {
        return core::fail(ErrorCode::usage, "there is no peer " + std::to_string(parsed.peer) +
                                                " among " + std::to_string(parsed.plan.peers));
    }
    return parsed;
}

Result<void> check_peer(std::string_view value) {
    return parse_peer(value).map([](PeerOfPlan&&) {});
}

std::vector<std::string> plainer_peer(std::string_view value) {
    auto parsed = parse_peer(value);
    if (!parsed || parsed->plan.network == NetworkSpec()) {
        return {};
    }
    parsed->plan.network = NetworkSpec();
    return {std::to_string(parsed->peer) + " of " + to_string(parsed->plan)};
}

Result<Course> peer_to_course(std::string_view value, const std::string& recording) {
    ISOTICK_TRY_ASSIGN(auto parsed, parse_peer(value));
    ISOTICK_TRY_ASSIGN(const auto reader, replay::Reader::open(recording));
    ISOTICK_TRY_ASSIGN(const auto inputs, SessionInputs::read(recording, UINT64_MAX));
    SessionOptions options;
    options.rate = reader.head().session.rate;
    ISOTICK_TRY_ASSIGN(auto session, compute_session(parsed.plan, inputs, options));
    if (!session.absences.empty()) {
        return core::fail(ErrorCode::usage,
                          "peers are absent in this plan, so the recorded hashes do not apply: use "
                          "isotick lockstep --plan");
    }
    if (session.end != SessionEnd::finished) {
        return core::fail(ErrorCode::usage,
                          "this plan does not come to its end: use isotick lockstep --plan");
    }
    const auto run = std::ranges::find(session.runs, parsed.peer, &PeerRun::peer);
    if (run == session.runs.end() || run->course.first_tick != 0) {
        return core::fail(ErrorCode::usage,
                          "peer " + std::to_string(parsed.peer) + " is not there from the start");
    }
    return std::move(run->course);
}

}  // namespace

extern const Axis kPeerAxis;
const Axis kPeerAxis{.name = "peer",
                     .varies = "one peer of a session over a network, in the place of frames",
                     .check = check_peer,
                     .plainer = plainer_peer,
                     .to_course = peer_to_course};

}  // namespace isotick::harness
