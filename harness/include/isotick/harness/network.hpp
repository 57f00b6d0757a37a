#pragma once
// A network of nodes in memory and in virtual time, which delays, loses, repeats and reorders
// packets as a NetworkSpec says: the same ones for the same seed, on every machine.

#include <isotick/core/result.hpp>
#include <isotick/harness/detail/link_settings.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace isotick::harness {

// What a simulated network does, as a value with a text form that prints back exactly: `mobile
// loss=8% 2>0(delay=300ms) cut(0,1|2,3@5s+2s) drop(3>1#17)`. NETWORKS.md has the grammar.

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

// The network itself.

/// A packet that arrived.
struct Delivery {
    std::uint32_t from = 0;
    std::uint64_t number = 0;  ///< of the packet on its link
    bool is_copy = false;
    std::int64_t at_ns = 0;            ///< when it arrived, not after now()
    std::span<const std::byte> bytes;  ///< valid until the next call of the network
};

/// What a link did so far. sent + duplicated = delivered + lost + overflowed + cut_off + in flight.
struct LinkStatistics {
    std::uint64_t sent = 0;
    std::uint64_t sent_bytes = 0;  ///< without headers
    std::uint64_t delivered = 0;   ///< received by their node, copies too
    std::uint64_t delivered_bytes = 0;
    std::uint64_t lost = 0;
    std::uint64_t overflowed = 0;  ///< no room in the queue, or too much in flight
    std::uint64_t cut_off = 0;
    std::uint64_t duplicated = 0;
    std::uint64_t overtaken = 0;  ///< delivered after a packet that was sent later, copies too
    std::uint64_t in_flight = 0;  ///< packets that are yet to be received

    LinkStatistics& operator+=(const LinkStatistics& other);
    friend bool operator==(const LinkStatistics&, const LinkStatistics&) = default;
};

/// What happened to a packet that was not delivered after exactly the delay of its link.
enum class PacketFate : std::uint8_t { lost, overflowed, cut_off, late, twice };

struct LoggedPacket {
    std::uint32_t from = 0;
    std::uint32_t to = 0;
    std::uint64_t number = 0;
    PacketFate fate = PacketFate::lost;
    std::int64_t sent_ns = 0;
    /// Of `late`, and of the copy of `twice`: by how much it arrives after the delay of the link;
    /// negative: before.
    std::int64_t by_ns = 0;

    friend bool operator==(const LoggedPacket&, const LoggedPacket&) = default;
};

struct NetworkOptions {
    bool log = false;  ///< keep what log() and explicit_spec() tell: a LoggedPacket
                       ///< for each packet that was not delivered plainly
};

/// The network. Virtual time begins at 0 and goes on by `advance` alone; no clock is read.
///
/// What happens to packet n from a to b follows from the spec, the seed, a, b, n and what that link
/// carried before; never from other links. Memory: each link holds kMostInFlight / links bytes of
/// packets, at least one of the largest size and at most 4 MiB, rounded up to blocks of 64 bytes
/// and one for each packet; what exceeds that overflows. No allocation where there was as much in
/// flight before.
///
/// A value that moves; used by one thread at a time. A moved-from network can only be assigned to.
class SimulatedNetwork {
  public:
    static constexpr std::size_t kMostPacketBytes = 65'507;  ///< as much as UDP over IPv4 takes
    static constexpr std::size_t kMostInFlight = std::size_t{256} << 20;
    static constexpr std::int64_t kLatest = 1'000'000'000'000'000'000;  ///< nanoseconds
    static constexpr std::size_t kMostLogged = NetworkSpec::kMostEvents;

    /// A network of `nodes` nodes, 2 to kMostNodes. Fails with ErrorCode::usage where that is
    /// something else, or the spec names a node beyond them.
    [[nodiscard]] static core::Result<SimulatedNetwork> make(const NetworkSpec& spec,
                                                             std::uint32_t nodes,
                                                             std::uint64_t seed,
                                                             NetworkOptions options = {});

    SimulatedNetwork(SimulatedNetwork&&) noexcept;
    SimulatedNetwork& operator=(SimulatedNetwork&&) noexcept;
    SimulatedNetwork(const SimulatedNetwork&) = delete;
    SimulatedNetwork& operator=(const SimulatedNetwork&) = delete;
    ~SimulatedNetwork();

    /// Sends a packet, which may be empty, at now(). The bytes are copied. Fails where there is no
    /// such link, or the packet has more than kMostPacketBytes; never because of what the network
    /// does to it.
    [[nodiscard]] core::Result<void> send(std::uint32_t from, std::uint32_t to,
                                          std::span<const std::byte> bytes);

    /// Goes on to a time that is neither before now() nor after kLatest, or fails.
    [[nodiscard]] core::Result<void> advance(std::int64_t to_ns);

    /// The next packet that arrived at `node`, in the order of arrival; at the same instant, in
    /// that of the sending node, the packet's number, the original before its copy. None: there is
    /// none until later, or no such node.
    [[nodiscard]] std::optional<Delivery> receive(std::uint32_t node);

    /// When the next packet to be received arrives (or did), at any node or at one; none: nothing
    /// is in flight.
    [[nodiscard]] std::optional<std::int64_t> next_arrival() const;
    [[nodiscard]] std::optional<std::int64_t> next_arrival(std::uint32_t node) const;

    [[nodiscard]] std::int64_t now() const;
    [[nodiscard]] std::uint32_t nodes() const;

    /// Of the link from `from` to `to`; zeros where there is none.
    [[nodiscard]] LinkStatistics statistics(std::uint32_t from, std::uint32_t to) const;
    /// The sum of all links.
    [[nodiscard]] LinkStatistics statistics() const;

    /// With NetworkOptions::log, all packets so far that were not delivered plainly, in the order
    /// in which they were sent, kMostLogged at most. Valid until the next `send`.
    [[nodiscard]] std::span<const LoggedPacket> log() const;

    /// A network of plain delays and explicit events which delivers the very same packets at the
    /// same times, for any seed, as long as the same is sent. Fails with ErrorCode::limit where
    /// the log is full, with `usage` where there is none.
    [[nodiscard]] core::Result<NetworkSpec> explicit_spec() const;

  private:
    class Impl;
    explicit SimulatedNetwork(std::unique_ptr<Impl> impl);

    std::unique_ptr<Impl> impl_;
};

// The least that a network must do for something to fail.

/// What came of a run with some network.
struct NetworkRun {
    bool fails = false;
    /// The network that did the same, packet by packet: SimulatedNetwork::explicit_spec. None:
    /// packets are not looked at one by one.
    std::optional<NetworkSpec> explicit_network;
};

/// Takes one thing after the other away from `network`, as long as a run without it fails: all of
/// it; cuts, rules of links, and each of what links do; then packets, one by one. `run` is asked at
/// most `most_runs` times, and must answer the same for the same network. Returns the last network
/// that failed; `network` itself, which is not run, if none did.
NetworkSpec shrink_network(const NetworkSpec& network,
                           const std::function<NetworkRun(const NetworkSpec&)>& run,
                           std::uint64_t most_runs = 400);

/// The same for code that runs on the network in this process, all of it: `fails` runs it from time
/// 0 on, on the network that it is given, and says whether it fails. Fails where
/// SimulatedNetwork::make does.
[[nodiscard]] core::Result<NetworkSpec> shrink_network(
    const NetworkSpec& network, std::uint32_t nodes, std::uint64_t seed,
    const std::function<bool(SimulatedNetwork&)>& fails, std::uint64_t most_runs = 400);

}  // namespace isotick::harness
