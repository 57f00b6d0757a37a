#include "told_writes.hpp"

#include "../simulations/wire.hpp"

#include <isotick/core/detail/bytes.hpp>
#include <isotick/core/detail/field_difference.hpp>
#include <isotick/core/detail/text.hpp>
#include <isotick/core/detail/try.hpp>
#include <isotick/core/hash.hpp>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

namespace isotick::harness {
namespace {

using core::ByteReader;
using core::Result;

constexpr std::size_t kMostOfAKind = 1000;  // fields that one line of code changes
constexpr std::size_t kMostCalls = 1000;

std::uint64_t hash_of(std::string_view text) {
    return core::hash_bytes(std::as_bytes(std::span(text)));
}

tl::unexpected<core::Error> malformed() {
    return core::fail(core::ErrorCode::damaged,
                      "what its note_writes wrote is not as the protocol says");
}

std::optional<Activity> activity_of(std::uint8_t verb) {
    switch (static_cast<Verb>(verb)) {
        case Verb::begin_frame:
            return Activity::beginning_frame;
        case Verb::step:
            return Activity::stepping;
        case Verb::render:
            return Activity::rendering;
        case Verb::load:
            return Activity::restoring;
        default:
            return std::nullopt;
    }
}

std::vector<CallSite> calls_in(ByteReader& reader) {
    std::vector<CallSite> calls;
    const auto count = reader.get<std::uint32_t>();
    for (std::uint32_t i = 0; i < std::min<std::size_t>(count, kMostCalls) && reader.ok(); ++i) {
        CallSite& call = calls.emplace_back();
        call.function = core::printable(reader.string());
        call.file = core::printable(reader.string());
        call.offset = reader.get<std::uint32_t>();
    }
    return calls;
}

// What a length or a missing field is shown as.
std::string value_in_words(const core::FieldDifference& field, const std::string& value) {
    if (field.kind == core::DifferenceKind::length) {
        return value + (value == "1" ? " element" : " elements");
    }
    return value.empty() ? "nothing" : value;
}

}  // namespace

Result<WriteLog> told_writes(std::span<const std::byte> told, const std::string& part) {
    ByteReader reader(told);
    WriteLog log;
    log.cut = reader.get<std::uint8_t>() != 0;
    auto state = reader.take(reader.get<std::uint32_t>());
    log.began_with = core::hash_bytes(state);
    while (reader.ok() && !reader.at_end()) {
        const auto during = activity_of(reader.get<std::uint8_t>());
        const std::vector<CallSite> calls = calls_in(reader);
        const auto next = reader.take(reader.get<std::uint32_t>());
        if (!reader.ok() || !during) {
            return malformed();
        }
        ISOTICK_TRY_ASSIGN(const auto fields, core::compare_fields(state, next, kMostOfAKind));
        for (const core::FieldDifference& field : fields.listed) {
            if (!part.empty() && !is_within(field.path, part)) {
                continue;
            }
            NotedWrite noted{*during, field.path, value_in_words(field, field.before),
                             value_in_words(field, field.after), calls};
            log.writes.push_back({.place = hash_of(field.path),
                                  .before = hash_of(noted.before + field.note),
                                  .after = hash_of(noted.after),
                                  .tag = static_cast<std::uint32_t>(*during),
                                  .number = log.writes.size()});
            log.noted.push_back(std::move(noted));
        }
        state = next;
    }
    return reader.ok() ? Result<WriteLog>(std::move(log)) : malformed();
}

}  // namespace isotick::harness
