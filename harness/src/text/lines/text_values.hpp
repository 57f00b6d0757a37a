#pragma once
// What the values in a line of text mean.

#include <isotick/core/detail/seam/settings.hpp>
#include <isotick/core/detail/text/json.hpp>
#include <isotick/core/detail/time/tick_dt.hpp>
#include <isotick/core/hash.hpp>
#include <isotick/core/result.hpp>

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

namespace isotick::harness {

/// Something in a line makes no sense. Thrown, and caught where the line's number is known.
struct BadText {
    std::size_t offset = 0;  ///< in the line, in bytes
    std::string message;
    core::ErrorCode code = core::ErrorCode::damaged;
};

// All of these throw BadText where the value is something else.

/// Refuses members of an object other than `known`.
void check_members(const core::JsonValue& object, std::initializer_list<std::string_view> known);
void expect(const core::JsonValue& value, core::JsonValue::Kind kind, std::string_view name);

[[nodiscard]] std::uint64_t number_from(const core::JsonValue& value, std::string_view name,
                                        std::uint64_t least, std::uint64_t most);
[[nodiscard]] bool truth_from(const core::JsonValue& value, std::string_view name);
/// A string, or {"hex":"…"} for one that is not UTF-8.
[[nodiscard]] std::string text_from(const core::JsonValue& value, std::string_view name);
/// An object, or a list of pairs for keys that are not UTF-8.
[[nodiscard]] core::Settings settings_from_text(const core::JsonValue& value,
                                                std::string_view name);
[[nodiscard]] std::uint64_t hash_from(const core::JsonValue& value, std::string_view name);
/// `"1/60"`, in seconds.
[[nodiscard]] core::TickDt dt_from(const core::JsonValue& value);
[[nodiscard]] std::vector<core::PartHash> parts_from(const core::JsonValue& value);

/// The hashes of one state, as far as they are given.
struct TextHashes {
    core::StateHash state;
    std::vector<core::PartHash> parts;
};
/// `{"hash":"…","parts":["…"]}`
[[nodiscard]] TextHashes state_from(const core::JsonValue& value, std::string_view name);

}  // namespace isotick::harness
