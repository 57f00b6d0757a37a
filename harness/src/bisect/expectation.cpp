#include "expectation.hpp"

#include "by_fields.hpp"
#include "symbols.hpp"

#include <isotick/core/detail/text.hpp>
#include <isotick/core/detail/try.hpp>

#include <algorithm>
#include <charconv>

namespace isotick::harness::bisect {
namespace {

bool is_shared(const core::FieldDifference& difference) {
    return difference.kind == core::DifferenceKind::value ||
           difference.kind == core::DifferenceKind::length;
}

}  // namespace

std::vector<std::string> shared_fields(const core::FieldDifferences& differences) {
    std::vector<bool> shared(differences.kinds.size(), false);
    for (const core::FieldDifference& difference : differences.listed) {
        if (is_shared(difference)) {
            shared[difference.field_kind] = true;
        }
    }
    std::vector<std::string> fields;
    for (std::size_t kind = 0; kind < shared.size(); ++kind) {
        if (shared[kind]) {
            fields.push_back(differences.kinds[kind].path);
        }
    }
    return fields;
}

std::string to_string(const Signature& signature) {
    constexpr std::size_t kMostShown = 4;
    return describe_state(signature.ticks_done) +
           (signature.fields.empty() ? "" : ", " + first_names(signature.fields, kMostShown));
}

namespace {

using core::Result;

constexpr std::string_view kTick = "tick ";
constexpr std::string_view kInitial = "the initial state";

// How many ticks make the state that `text` names; none where it names a field.
Result<std::optional<std::uint64_t>> state_of(std::string_view text) {
    if (text == kInitial) {
        return 0;
    }
    if (!text.starts_with(kTick)) {
        return std::nullopt;
    }
    std::uint64_t tick = 0;
    const char* const end = text.data() + text.size();
    const auto [read, error] = std::from_chars(text.data() + kTick.size(), end, tick);
    if (error != std::errc() || read != end || tick == UINT64_MAX) {
        return core::fail(core::ErrorCode::usage,
                          "'" + std::string(text) + "' is not tick and a number");
    }
    return tick + 1;
}

}  // namespace

Result<Expectation> Expectation::parse(std::string_view text) {
    Expectation expectation;
    std::string fields;
    for (const std::string& piece : split_at_commas(text)) {
        ISOTICK_TRY_ASSIGN(const auto state, state_of(piece));
        if (state && expectation.ticks_done) {
            return core::fail(core::ErrorCode::usage, "it names two ticks");
        }
        if (state) {
            expectation.ticks_done = state;
        } else {
            fields += (fields.empty() ? "" : ",") + piece;
        }
    }
    if (!fields.empty() || !expectation.ticks_done) {
        ISOTICK_TRY_ASSIGN(expectation.fields, parse_field_names(fields));
    }
    return expectation;
}

Expectation Expectation::of(const Signature& signature) {
    return {signature.ticks_done, signature.fields};
}

Fit Expectation::fits(const Signature& signature) const {
    const bool is_there = !ticks_done || *ticks_done == signature.ticks_done ||
                          (signature.agreed_to && *signature.agreed_to < *ticks_done &&
                           *ticks_done < signature.ticks_done);
    if (!is_there) {
        return Fit::elsewhere;
    }
    if (fields.empty()) {
        return Fit::yes;
    }
    if (!signature.fields_known) {
        return Fit::unknown;
    }
    const bool any = std::ranges::any_of(signature.fields, [this](const std::string& kind) {
        return std::ranges::any_of(fields,
                                   [&](const std::string& name) { return lies_in(kind, name); });
    });
    return any ? Fit::yes : ticks_done ? Fit::absent : Fit::elsewhere;
}

std::string to_string(const Expectation& expectation) {
    std::vector<std::string> pieces = expectation.fields;
    if (expectation.ticks_done) {
        pieces.insert(pieces.begin(), describe_state(*expectation.ticks_done));
    }
    return pieces.empty() ? "any divergence" : core::joined(pieces);
}

}  // namespace isotick::harness::bisect
