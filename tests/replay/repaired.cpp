#include "repaired.hpp"

#include <isotick/replay/survey.hpp>

#include <algorithm>
#include <ostream>

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

RepairReport RepairTest::repaired(const Corruption& damaged, bool all_ranges) {
    damaged.save(path("damaged"));
    auto report =
        repair(path("damaged"), path("out"), {.overwrite = true, .all_ranges = all_ranges});
    EXPECT_TRUE(report) << describe(report.error());
    return report.value_or(RepairReport());
}

Ranges RepairTest::ranges(const RepairReport& report) {
    Ranges ranges;
    for (const SalvagedRange& range : report.ranges) {
        ranges.push_back(range.ticks);
    }
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

std::string RepairTest::what_is_wrong_with_outputs(const RepairReport& report, bool forged) {
    for (const SalvagedRange& range : report.ranges) {
        const std::string wrong = what_is_wrong_with(range, forged);
        if (!wrong.empty()) {
            return range.path.string() + ": " + wrong;
        }
    }
    return {};
}

std::string RepairTest::what_is_wrong_with(const SalvagedRange& range, bool forged) {
    const ReadThrough read = read_through(range.path, session_);
    if (read.error) {
        return describe(*read.error);
    }
    if (!read.mismatch.empty() && !(forged && range.ticks.first.value != 0)) {
        return "mismatch of " + read.mismatch;
    }
    if (read.damage || read.tail_damage) {
        return "damaged: " + (read.damage ? read.damage : read.tail_damage)->reason;
    }
    const auto reader = Reader::open(range.path);
    if (reader->first_tick() != range.ticks.first) {
        return "begins with tick " + std::to_string(reader->first_tick().value);
    }
    if (read.ticks != range.ticks.end.value - range.ticks.first.value) {
        return std::to_string(read.ticks) + " ticks";
    }
    if (read.saw_last != range.finished || read.has_tail != range.finished) {
        return range.finished ? "without an end" : "with an end";
    }
    const auto found = survey(range.path);
    const bool whole = found && found->damages.empty() && found->ticks == read.ticks &&
                       found->has_tail == range.finished && found->bytes == range.bytes;
    return whole ? "" : "survey finds it damaged";
}

}  // namespace isotick::replay
