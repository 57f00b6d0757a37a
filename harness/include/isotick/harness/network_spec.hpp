#pragma once
// What a simulated network does, as a value with a text form that prints back exactly: `mobile
// loss=8% 2>0(delay=300ms) cut(0,1|2,3@5s+2s) drop(3>1#17)`. NETWORKS.md has the grammar.

#include <isotick/core/result.hpp>
#include <isotick/harness/detail/link_settings.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace isotick::harness {

/// For a while, packets that nodes of different groups send to each other are lost. One group alone
/// is cut off from everyone else; nodes in no group reach everyone.
struct NetworkCut {
    std::vector<std::vector<std::uint32_t>> groups;  ///< at least one, none empty
    std::int64_t from_ns = 0;                        ///< up to kLongestNetwork
    std::int64_t length_ns = 1;                      ///< 1 to kLongestNetwork

    friend bool operator==(const NetworkCut&, const NetworkCut&) = default;
};

enum class PacketFault : std::uint8_t { drop, late, twice };

/// What happens to one packet, whatever else does.
struct PacketEvent {
    std::uint32_t from = 0;
    std::uint32_t to = 0;
    std::uint64_t number = 0;  ///< of the packet on this link, from 0 to kHighestNumber
    PacketFault fault = PacketFault::drop;
    /// Of `late`: how much later it arrives than it would; negative: earlier, but not before it is
    /// sent. Of `twice`: how long after a packet with the link's plain delay the copy arrives.
    /// Up to kLongestLateness to either side; 0 for `drop`.
    std::int64_t by_ns = 0;

    friend bool operator==(const PacketEvent&, const PacketEvent&) = default;
};

/// All that a network does.
struct NetworkParts {
    LinkSettings usual;           ///< of all links
    std::vector<LinkRule> rules;  ///< those of one link go before a>*, and these before *>b
    std::vector<NetworkCut> cuts;
    std::vector<PacketEvent> events;  ///< each fault at most once per packet

    friend bool operator==(const NetworkParts&, const NetworkParts&) = default;
};

/// A network: links, cuts and events. A value that is valid and canonical; the usual one delivers
/// all packets at once. Reads are thread-safe.
class NetworkSpec {
  public:
    static constexpr std::size_t kMostTextBytes = std::size_t{64} << 20;
    static constexpr std::size_t kMostRules = 65'536;
    static constexpr std::size_t kMostCuts = 1'000;
    static constexpr std::size_t kMostEvents = 1'000'000;

    NetworkSpec() = default;

    /// Reads the text form. Fails with ErrorCode::usage, the column (bytes, from 1) and what was
    /// expected there. `resolver` gives the traces of links, and its errors are passed on; without
    /// one, `trace(…)` is an error that says so.
    [[nodiscard]] static core::Result<NetworkSpec> parse(std::string_view text,
                                                         const TraceResolver& resolver = {});

    /// Checks the parts and brings them into canonical order. Fails with ErrorCode::usage.
    [[nodiscard]] static core::Result<NetworkSpec> from_parts(NetworkParts parts);

    /// The canonical text: `parse` reads it back to an equal network as long as it is no longer
    /// than kMostTextBytes, with a resolver that gives the same trace for the same path.
    [[nodiscard]] std::string to_string() const;

    [[nodiscard]] const NetworkParts& parts() const { return parts_; }

    /// What the link from `from` to `to` does, rules included.
    [[nodiscard]] LinkSettings settings(std::uint32_t from, std::uint32_t to) const;

    /// How many nodes it takes to make this network; at least 2.
    [[nodiscard]] std::uint32_t least_nodes() const;

    friend bool operator==(const NetworkSpec&, const NetworkSpec&) = default;

  private:
    explicit NetworkSpec(NetworkParts parts) : parts_(std::move(parts)) {}

    NetworkParts parts_;
};

}  // namespace isotick::harness
