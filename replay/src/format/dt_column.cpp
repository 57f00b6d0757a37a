#include "dt_column.hpp"

#include "run_starts.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

namespace isotick::replay {
namespace {

__extension__ using Wide = unsigned __int128;

// A run of ticks: from `tick` on, numerator / denominator seconds, not always in lowest terms.
struct Run {
    std::uint32_t tick = 0;
    std::uint64_t numerator = 0;
    std::uint64_t denominator = 1;
};
using Runs = std::vector<Run>;

Runs runs_from(const DtChanges& changes, core::TickDt constant) {
    Runs runs;
    const auto add = [&](std::uint32_t tick, core::TickDt dt) {
        runs.push_back({tick, dt.numerator(), dt.denominator()});
    };
    if (changes.front().tick != 0) {
        add(0, constant);
    }
    for (const DtChange& change : changes) {
        add(change.tick, change.dt.value_or(constant));
    }
    return runs;
}

// Multiplies `value` by `factor`; false where that is beyond 64 bits.
bool scale(std::uint64_t& value, std::uint64_t factor) {
    const Wide product = Wide{value} * factor;
    value = static_cast<std::uint64_t>(product);
    return product <= std::numeric_limits<std::uint64_t>::max();
}

// Brings all runs to their least common denominator; false where 64 bits do not hold it.
bool make_common(Runs& runs) {
    std::uint64_t common = 1;
    for (const Run& run : runs) {
        if (!scale(common, run.denominator / std::gcd(common, run.denominator))) {
            return false;
        }
    }
    return std::all_of(runs.begin(), runs.end(), [common](Run& run) {
        const std::uint64_t factor = common / run.denominator;
        run.denominator = common;
        return scale(run.numerator, factor);
    });
}

void put_common(const Runs& runs, std::uint32_t ticks, Bytes& out) {
    put_shape(runs, ticks, true, out);
    put_varint(out, runs.front().denominator);
    put_varint(out, runs.front().numerator);
    for (std::size_t i = 1; i < runs.size(); ++i) {
        put_varint(out, zigzag(runs[i].numerator - runs[i - 1].numerator));
    }
}

void put_separate(const Runs& runs, std::uint32_t ticks, Bytes& out) {
    put_shape(runs, ticks, false, out);
    for (const Run& run : runs) {
        put_varint(out, run.denominator);
    }
    for (const Run& run : runs) {
        put_varint(out, run.numerator);
    }
}

void read_fractions(ByteReader& in, bool common, Runs& runs) {
    for (std::size_t i = 0; i < runs.size() && in.ok(); ++i) {
        runs[i].denominator = i == 0 || !common ? in.varint() : runs[0].denominator;
    }
    for (std::size_t i = 0; i < runs.size() && in.ok(); ++i) {
        const std::uint64_t number = in.varint();
        runs[i].numerator = i == 0 || !common ? number : runs[i - 1].numerator + unzigzag(number);
    }
}

}  // namespace

void encode_dts(const DtChanges& changes, std::uint32_t ticks, core::TickDt constant, Bytes& out) {
    Runs runs = runs_from(changes, constant);
    Bytes separate;
    put_separate(runs, ticks, separate);
    Bytes common;
    if (make_common(runs)) {
        put_common(runs, ticks, common);
    }
    const bool is_shorter = !common.empty() && common.size() <= separate.size();
    put_bytes(out, is_shorter ? common : separate);
}

bool decode_dts(const StoredBlock& block, std::uint32_t ticks, core::TickDt constant,
                DtChanges& changes) {
    changes.clear();
    ByteReader in(block.raw);
    const std::uint64_t shape = read_shape(in, ticks);
    if (!in.ok() || kDtRunSize * runs_of(shape) > most_decoded(block.bytes)) {
        return false;
    }
    Runs runs(runs_of(shape));
    read_starts(in, shape, ticks, runs);
    read_fractions(in, (shape & kOneCode) != 0, runs);
    bool has_own = false;
    for (const Run& run : runs) {
        const auto dt = core::TickDt::make(run.numerator, run.denominator);
        if (!dt) {
            return false;
        }
        const bool is_own = *dt != constant;
        const DtChange change{run.tick, is_own ? std::optional(*dt) : std::nullopt};
        if (!changes.empty() && changes.back().dt == change.dt) {
            return false;
        }
        has_own = has_own || is_own;
        changes.push_back(change);
    }
    return has_own && in.at_end();
}

}  // namespace isotick::replay
