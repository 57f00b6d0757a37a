#include "live_messages.hpp"

#include "../run/message_archives.hpp"
#include "../run/message_fields.hpp"

namespace isotick::harness {

template <>
inline constexpr auto kLastOf<PeerMode> = PeerMode::rollback;
template <>
inline constexpr auto kLastOf<PeerState> = PeerState::disagreed;
template <>
inline constexpr auto kLastOf<PeerEvent::Kind> = PeerEvent::Kind::rebind;
template <>
inline constexpr auto kLastOf<UdpEnd> = UdpEnd::timed_out;

std::string bytes_of(const LiveRequest& request) {
    return to_bytes(request);
}

std::string bytes_of(const LiveAnswer& answer) {
    return to_bytes(answer);
}

core::Result<LiveRequest> parse_live_request(std::string_view bytes) {
    return from_bytes<LiveRequest>(bytes);
}

core::Result<LiveAnswer> parse_live_answer(std::string_view bytes) {
    return from_bytes<LiveAnswer>(bytes);
}

}  // namespace isotick::harness
