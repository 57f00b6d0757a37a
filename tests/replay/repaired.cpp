#include "repaired.hpp"

#include <isotick/replay/detail/survey.hpp>

#include <algorithm>
#include <ostream>

#include <read/survey.hpp>

namespace isotick::replay {

void PrintTo(const TickRange& range, std::ostream* out) {
    *out << range.first.value << "–" << range.end.value;
}

void RepairTest::record() {
    ASSERT_TRUE(session_.record(path("whole"), {.overwrite = true}));
    bytes_ = read_bytes(path("whole"));
    chunks_ = whole().chunks();
    chunks_.push_back(bytes_.size());
}

std::vector<std::byte> RepairTest::chunk(std::size_t n) const {
    return {bytes_.begin() + std::ptrdiff_t(chunk_at(n)),
            bytes_.begin() + std::ptrdiff_t(chunk_at(n + 1))};
}

std::size_t RepairTest::chunk_with(std::size_t offset) const {
    return std::size_t(std::upper_bound(chunks_.begin(), chunks_.end(), offset) - chunks_.begin() -
                       1);
}

std::vector<std::byte> RepairTest::foreign_chunk(std::size_t n, std::uint64_t ticks) {
    FakeSession other = session_;
    other.ticks = ticks;
    other.input = [](std::uint64_t tick, std::uint32_t column) {
        return mixed_input(tick + 1, column);
    };
    EXPECT_TRUE(other.record(path("other"), {.overwrite = true}));
    const std::vector<std::byte> bytes = read_bytes(path("other"));
    std::filesystem::remove(path("other"));
    const auto chunks = Corruption(bytes).chunks();
    return {bytes.begin() + std::ptrdiff_t(chunks[n]),
            bytes.begin() + std::ptrdiff_t(chunks[n + 1])};
}

RepairReport RepairTest::repaired(const Corruption& damaged) {
    damaged.save(path("damaged"));
    auto report = repair(path("damaged"), path("out"), {.overwrite = true});
    EXPECT_TRUE(report) << describe(report.error());
    return report.value_or(RepairReport());
}

Ranges RepairTest::ranges(const RepairReport& report) {
    Ranges ranges{{{0}, {report.saved_ticks}}};
    ranges.insert(ranges.end(), report.not_saved.begin(), report.not_saved.end());
    return ranges;
}

Lost RepairTest::lost(const RepairReport& report) {
    Lost all;
    for (const LostTicks& lost : report.lost) {
        all.emplace_back(lost.first.value,
                         lost.end ? std::optional(lost.end->value) : std::nullopt);
    }
    return all;
}

Ranges RepairTest::without_chunk(std::uint64_t n) const {
    Ranges left{{{0}, {16 * n}}};
    if (n + 1 < kTickChunks) {
        left.push_back({{16 * (n + 1)}, {session_.ticks}});
    }
    return left;
}

Lost RepairTest::lost_chunk(std::uint64_t n) const {
    return {{16 * n, std::min(16 * (n + 1), session_.ticks)}};
}

std::string RepairTest::what_is_wrong_with_output(const RepairReport& report) {
    const ReadThrough read = read_through(path("out"), session_);
    if (read.error) {
        return describe(*read.error);
    }
    if (!read.mismatch.empty()) {
        return "mismatch of " + read.mismatch;
    }
    if (read.damage || read.tail_damage) {
        return "damaged: " + (read.damage ? read.damage : read.tail_damage)->reason;
    }
    if (read.ticks != report.saved_ticks) {
        return std::to_string(read.ticks) + " ticks";
    }
    if (read.saw_last != report.finished || read.has_tail != report.finished) {
        return report.finished ? "without an end" : "with an end";
    }
    const auto found = survey(path("out"));
    const bool whole = found && found->damages.empty() && found->ticks == read.ticks &&
                       found->has_tail == report.finished && found->bytes == report.saved_bytes;
    return whole ? "" : "survey finds it damaged";
}

std::string RepairTest::what_is_wrong_with_the_rest(const RepairReport& report) {
    auto chunks = SurvivingChunks::open(path("damaged"));
    Ranges found;
    while (const TickChunk* chunk = chunks->next().value()) {
        const TickRange ticks{chunk->first_tick(), {chunk->first_tick().value + chunk->ticks()}};
        if (ticks.end.value <= report.saved_ticks) {
            continue;
        }
        if (const std::string wrong = session_.mismatch(*chunk); !wrong.empty()) {
            return "mismatch of " + wrong;
        }
        add_range(found, ticks);
    }
    return found == report.not_saved ? "" : "other ticks are there";
}

}  // namespace isotick::replay
