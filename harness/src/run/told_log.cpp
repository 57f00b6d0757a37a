#include "told_log.hpp"

#include "../simulations/told_writes.hpp"

#include <isotick/core/detail/field_difference.hpp>
#include <isotick/core/detail/try.hpp>
#include <isotick/core/hash.hpp>

#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

namespace isotick::harness {
namespace {

using core::Result;

constexpr std::size_t kMostOfAKind = 1000;  // fields that one line of code changes

std::uint64_t hash_of(std::string_view text) {
    return core::hash_bytes(std::as_bytes(std::span(text)));
}

Activity activity_of(Verb verb) {
    return verb == Verb::begin_frame ? Activity::beginning_frame
           : verb == Verb::step      ? Activity::stepping
           : verb == Verb::render    ? Activity::rendering
                                     : Activity::restoring;
}

// Whether two that are shown alike are alike: neither cut, nor only a number of elements.
bool is_shown_whole(const core::FieldDifference& field) {
    constexpr std::size_t kNeverCut = 24;
    return field.kind == core::DifferenceKind::value && field.after.size() < kNeverCut;
}

// What a length or a missing field is shown as.
std::string value_in_words(const core::FieldDifference& field, const std::string& value) {
    if (field.kind == core::DifferenceKind::length) {
        return value + (value == "1" ? " element" : " elements");
    }
    return value.empty() ? "nothing" : value;
}

}  // namespace

Result<WriteLog> write_log_of(std::span<const std::byte> told, const std::string& part) {
    ISOTICK_TRY_ASSIGN(const ToldWrites all, read_told_writes(told));
    WriteLog log;
    log.cut = all.cut;
    log.is_told = true;
    log.began_with = core::hash_bytes(all.first);
    auto state = all.first;
    for (const ToldWrite& write : all.writes) {
        const Activity during = activity_of(write.during);
        ISOTICK_TRY_ASSIGN(const auto fields,
                           core::compare_fields(state, write.after, kMostOfAKind));
        log.cut = log.cut || fields.total > fields.listed.size();
        const std::uint64_t whole = core::hash_bytes(write.after);
        for (const core::FieldDifference& field : fields.listed) {
            if (!part.empty() && !is_within(field.path, part)) {
                continue;
            }
            NotedWrite noted{during, field.path, value_in_words(field, field.before),
                             value_in_words(field, field.after), write.calls};
            log.writes.push_back(
                {.place = hash_of(field.path),
                 .before = hash_of(noted.before),
                 .after = hash_of(noted.after) ^ (is_shown_whole(field) ? 0 : whole),
                 .tag = static_cast<std::uint32_t>(during),
                 .number = log.writes.size()});
            log.noted.push_back(std::move(noted));
        }
        state = write.after;
    }
    return log;
}

}  // namespace isotick::harness
