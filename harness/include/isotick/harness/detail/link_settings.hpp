#pragma once
// What a link does to packets, and captured traces of bandwidth.

#include <isotick/core/result.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace isotick::harness {

// What somebody measured on a real link. Where it comes from (files, above all) is the business of
// whoever gives NetworkSpec::parse a TraceResolver.

/// What a link does over time, from the start of the simulation; it repeats when it ends.
/// Immutable; reads are thread-safe. The formats are in NETWORKS.md.
class LinkTrace {
  public:
    static constexpr std::size_t kMostRows = 4'000'000;

    /// From `from_ns` on, until the next one.
    struct Condition {
        std::int64_t from_ns = 0;
        std::int64_t delay_ns = 0;         ///< 0 to kLongestDelay
        std::uint32_t loss_per_mille = 0;  ///< 1000: nothing arrives
        friend bool operator==(const Condition&, const Condition&) = default;
    };

    /// Reads the text of a packet-delivery trace (mahimahi) or of a table (CSV). Fails with
    /// ErrorCode::damaged and the line, or with `limit`.
    [[nodiscard]] static core::Result<std::shared_ptr<const LinkTrace>> parse(
        std::string_view content);

    /// The text that `parse` reads back as an equal trace.
    [[nodiscard]] std::string to_string() const;

    /// When the link can send kDeliveryBytes, ascending; none in a trace of conditions.
    [[nodiscard]] std::span<const std::int64_t> deliveries_ns() const { return deliveries_ns_; }
    /// Ascending from 0; none in a trace of deliveries.
    [[nodiscard]] std::span<const Condition> conditions() const { return conditions_; }
    /// After how long it repeats; above 0.
    [[nodiscard]] std::int64_t length_ns() const { return length_ns_; }

    friend bool operator==(const LinkTrace&, const LinkTrace&) = default;

  private:
    LinkTrace() = default;

    std::vector<std::int64_t> deliveries_ns_;
    std::vector<Condition> conditions_;
    std::int64_t length_ns_ = 0;
};

/// What each line of a packet-delivery trace can send, in bytes with headers.
inline constexpr std::uint32_t kDeliveryBytes = 1500;

/// The trace that a network's text names by `path`. Its errors are passed on as they are.
using TraceResolver =
    std::function<core::Result<std::shared_ptr<const LinkTrace>>(const std::string& path)>;

/// A trace as a link names it, or none.
struct NamedTrace {
    std::string path;
    std::shared_ptr<const LinkTrace> trace;  ///< null: none

    /// Equal are traces of one name with the same content.
    friend bool operator==(const NamedTrace& left, const NamedTrace& right) {
        const bool is_same = left.trace == right.trace;
        return left.path == right.path &&
               (is_same || (left.trace && right.trace && *left.trace == *right.trace));
    }
};

// What one direction of a link does to packets, and what may differ from link to link.

inline constexpr std::uint32_t kMostNodes = 256;
/// As a node: any.
inline constexpr std::uint32_t kAnyNode = 0xffffffff;

inline constexpr std::int64_t kLongestDelay = 60'000'000'000;                // nanoseconds
inline constexpr std::int64_t kLongestLateness = 1'000'000'000'000'000'000;  // nanoseconds
inline constexpr std::int64_t kLongestNetwork = 86'400'000'000'000;  // nanoseconds, for cuts
inline constexpr std::uint32_t kLongestBurst = 1000;                 // packets
inline constexpr std::uint64_t kLowestRate = 1'000;                  // bits per second
inline constexpr std::uint64_t kHighestRate = 100'000'000'000;       // bits per second
inline constexpr std::uint64_t kLeastQueue = 1'000;                  // bytes
inline constexpr std::uint64_t kMostQueue = 16'000'000;              // bytes
inline constexpr std::uint64_t kHighestNumber = (1ULL << 46U) - 1;   // of a packet
/// What IPv4 and UDP add to a packet; counted where bandwidth is.
inline constexpr std::uint32_t kHeaderBytes = 28;

/// One direction of a link. The usual values do nothing. NETWORKS.md says what each one does.
struct LinkSettings {
    std::int64_t delay_ns = 0;   ///< 0 to kLongestDelay
    std::int64_t jitter_ns = 0;  ///< to either side; 0 to delay_ns
    std::uint32_t loss_per_mille = 0;
    std::uint32_t burst = 1;  ///< packets lost in a row, on average; 1: independent loss
    std::uint32_t duplication_per_mille = 0;
    std::uint32_t reordering_per_mille = 0;
    std::int64_t hold_back_ns = 50'000'000;  ///< of what is reordered; 2 to kLongestDelay
    std::uint64_t rate = 0;                  ///< bits per second; 0: unlimited
    std::uint64_t queue = 64'000;            ///< bytes with headers that wait for the rate
    NamedTrace trace;                        ///< in the place of delay and loss, or of rate

    friend bool operator==(const LinkSettings&, const LinkSettings&) = default;
};

/// What is written as one setting: bits of LinkRule::given.
enum class LinkSetting : std::uint8_t {
    delay,  ///< and jitter
    loss,
    burst,
    duplication,
    reordering,  ///< and how long it holds packets back
    rate,
    queue,
    trace,
};

[[nodiscard]] constexpr std::uint32_t bit_of(LinkSetting setting) {
    return 1U << static_cast<unsigned>(setting);
}

/// The settings in which some links differ from all others: of the link from `from` to `to`, or
/// where one of both is kAnyNode, of all links to or from the other one.
struct LinkRule {
    std::uint32_t from = kAnyNode;
    std::uint32_t to = kAnyNode;
    LinkSettings settings;    ///< what is not given has its usual value
    std::uint32_t given = 0;  ///< the bits of those that differ; not 0

    friend bool operator==(const LinkRule&, const LinkRule&) = default;
};

}  // namespace isotick::harness
