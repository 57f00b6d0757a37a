#pragma once
// What several JSON reports are made of. Hashes are hexadecimal strings, since 64 bits do not
// survive every JSON reader as a number.

#include <isotick/core/detail/field_difference.hpp>
#include <isotick/core/detail/settings.hpp>
#include <isotick/harness/audit.hpp>
#include <isotick/harness/detail/field_report.hpp>
#include <isotick/replay/detail/recording_head.hpp>
#include <isotick/replay/detail/survey.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

namespace isotick::program {

using Json = nlohmann::ordered_json;

/// What the whole of a report is printed as: an object of `version` and these members, with a line
/// feed. Printable; in strings that are not UTF-8, bytes that are not stand as `\xff` (in JSON
/// "\\xff").
[[nodiscard]] std::string document(Json members);

/// How a document begins that is too long to be held: its brace and `version`. A member follows.
[[nodiscard]] std::string beginning_of_document();

/// JSON as text in one line, without a line feed: an element of such a document's list.
[[nodiscard]] std::string in_one_line(const Json& json);

template <class T>
[[nodiscard]] Json optional_json(const std::optional<T>& value) {
    return value ? Json(*value) : Json(nullptr);
}

/// Null where the text is empty.
[[nodiscard]] Json text_json(const std::string& text);

[[nodiscard]] Json settings_json(const core::Settings& settings);

/// The seed is a string of decimal digits, as reports print it and `--seed` takes it: not every
/// reader of JSON keeps 64 bits.
[[nodiscard]] Json session_json(const replay::SessionInfo& session);

/// The last tick that was done; null where none was.
[[nodiscard]] Json last_tick_json(std::uint64_t ticks_done);

[[nodiscard]] Json damage_json(const replay::Damage& damage);
[[nodiscard]] Json damage_json(const std::optional<replay::Damage>& damage);

[[nodiscard]] Json blind_spots_json(const std::vector<harness::BlindSpot>& blind_spots);

[[nodiscard]] Json fields_json(const core::FieldDifferences& differences);
[[nodiscard]] Json fields_json(const harness::FieldReport& report);

[[nodiscard]] Json code_json(const std::vector<harness::CodePlace>& code);

/// Null where there is none.
[[nodiscard]] Json writes_json(const std::optional<harness::PartingWrite>& write);

}  // namespace isotick::program
