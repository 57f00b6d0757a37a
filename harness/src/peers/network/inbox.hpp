#pragma once
// What is on its way to one node.

#include "block_pool.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <tuple>
#include <vector>

namespace isotick::harness {

struct PacketInFlight {
    std::int64_t arrival_ns;
    std::uint32_t from;
    std::uint32_t bytes;
    std::uint64_t number_and_copy;  // the copy comes after its original
    BlockPool::Chain chain;

    [[nodiscard]] std::uint64_t number() const { return number_and_copy >> 1U; }
    [[nodiscard]] bool is_copy() const { return (number_and_copy & 1U) != 0; }

    friend bool operator>(const PacketInFlight& left, const PacketInFlight& right) {
        return std::tie(left.arrival_ns, left.from, left.number_and_copy) >
               std::tie(right.arrival_ns, right.from, right.number_and_copy);
    }
};

/// Packets by arrival; at the same instant by sender, number, original before copy.
class Inbox {
  public:
    [[nodiscard]] bool is_empty() const { return packets_.empty(); }
    /// The first to arrive. There must be one.
    [[nodiscard]] const PacketInFlight& first() const { return packets_.front(); }

    void put(const PacketInFlight& packet) {
        packets_.push_back(packet);
        std::ranges::push_heap(packets_, std::greater());
    }

    PacketInFlight take_first() {
        std::ranges::pop_heap(packets_, std::greater());
        const PacketInFlight packet = packets_.back();
        packets_.pop_back();
        return packet;
    }

  private:
    std::vector<PacketInFlight> packets_;  // a heap, the first to arrive in front
};

}  // namespace isotick::harness
