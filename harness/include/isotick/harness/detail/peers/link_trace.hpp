#pragma once
// What somebody measured on a real link. Where it comes from (files, above all) is the business of
// whoever gives NetworkSpec::parse a TraceResolver.

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

}  // namespace isotick::harness
