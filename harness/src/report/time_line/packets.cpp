#include "packets.hpp"

#include "svg.hpp"

#include <algorithm>
#include <map>

namespace isotick::harness {
namespace {

constexpr std::int64_t kHeight = 140;  // of the strip, in tenths

}  // namespace

std::string draw_packets(std::span<const LoggedPacket> packets, std::uint32_t to,
                         const TimeScale& time, std::int64_t bottom) {
    std::map<std::int64_t, std::int64_t> late;  // by place: the latest there
    SvgPath lost;
    SvgPath twice;
    for (const LoggedPacket& packet : packets) {
        if (packet.to != to || !time.window.has(packet.sent_ns)) {
            continue;
        }
        const std::int64_t x = time.x(packet.sent_ns);
        if (packet.fate == PacketFate::late) {
            std::int64_t& latest = late[x / 10 * 10];
            latest = std::max(latest, packet.by_ns);
        } else if (packet.fate == PacketFate::twice) {
            twice.upright(x, bottom, -40);
        } else {
            lost.upright(x, bottom, -kHeight / 5 * 4);
        }
    }
    SvgPath bars;
    for (const auto& [x, by_ns] : late) {
        const std::int64_t height = std::min(by_ns, kLatestShown) * kHeight / kLatestShown;
        if (height > 10) {
            bars.upright(x, bottom, -height);
        }
    }
    return bars.element("late") + lost.element("lost") + twice.element("twice");
}

}  // namespace isotick::harness
