#include "input_columns.hpp"
#include "plane.hpp"
#include "run_starts.hpp"

#include <isotick/core/plugin.h>

#include <algorithm>

namespace isotick::replay {
namespace {

class ColumnDecoder {
  public:
    ColumnDecoder(ByteReader& in, std::uint32_t ticks, InputChanges& out)
        : in_(in), ticks_(ticks), out_(out) {}

    void decode(std::uint32_t column) {
        const std::uint64_t shape = read_shape(in_, ticks_);
        const std::size_t count = runs_of(shape);
        total_runs_ += count;
        if (!in_.ok() || total_runs_ > kMostRuns) {
            in_.fail();
            return;
        }
        runs_.assign(count, InputChange{0, column, 0, 0});
        read_starts(in_, shape, ticks_, runs_);
        read_codes((shape & kOneCode) != 0);
        if (!in_.ok() || !place_bytes()) {
            in_.fail();
            return;
        }
        read_values();
        keep_changes();
    }

  private:
    void read_codes(bool one) {
        constexpr std::uint64_t kMostCode = ISOTICK_LONGEST_INPUT + 1;
        std::uint32_t code = 0;
        for (std::size_t i = 0; i < runs_.size() && in_.ok(); ++i) {
            if (i == 0 || !one) {
                code = static_cast<std::uint32_t>(in_.varint(kMostCode));
            }
            runs_[i].code = code;
        }
    }

    // Makes room in out_.bytes for all runs; false if that would pass the limit.
    bool place_bytes() {
        std::uint64_t end = out_.bytes.size();
        for (InputChange& run : runs_) {
            run.offset = static_cast<std::uint32_t>(end);
            end += run.size();
            if (end > kLongestInputBlock) {
                return false;
            }
        }
        out_.bytes.resize(static_cast<std::size_t>(end));
        return true;
    }

    void read_values() {
        present_.clear();
        std::copy_if(runs_.begin(), runs_.end(), std::back_inserter(present_),
                     [](const InputChange& run) { return run.code != 0; });
        if (!has_planes(present_)) {
            for (const InputChange& run : present_) {
                const auto bytes = in_.take(run.size());
                std::transform(bytes.begin(), bytes.end(), out_.bytes.begin() + run.offset,
                               [](std::byte byte) { return std::to_integer<std::uint8_t>(byte); });
            }
            return;
        }
        const std::uint32_t size = present_.front().size();
        const auto modes = in_.take((size + 3) / 4);
        for (std::uint32_t position = 0; position < size && in_.ok(); ++position) {
            const unsigned mode =
                std::to_integer<unsigned>(modes[position / 4]) >> (2 * (position % 4)) & 3U;
            read_plane(position, mode);
        }
    }

    void read_plane(std::uint32_t position, unsigned mode) {
        const std::size_t deltas = present_.size() - 1;
        auto value = in_.get<std::uint8_t>();
        std::span<const std::byte> bitmap;
        if (mode == static_cast<unsigned>(PlaneMode::sparse)) {
            bitmap = in_.take(bits_size(deltas));
        } else if (mode > static_cast<unsigned>(PlaneMode::sparse)) {
            in_.fail();
        }
        if (!in_.ok()) {
            return;
        }
        out_.bytes[present_.front().offset + position] = value;
        for (std::size_t i = 0; i < deltas; ++i) {
            const bool changes = mode == static_cast<unsigned>(PlaneMode::dense) ||
                                 (!bitmap.empty() && bit_of(bitmap, i));
            if (changes) {
                value = static_cast<std::uint8_t>(value + in_.get<std::uint8_t>());
            }
            out_.bytes[present_[i + 1].offset + position] = value;
        }
    }

    // A column is absent before its first change, so a leading absent run is none.
    void keep_changes() {
        const bool starts_absent = runs_.front().code == 0;
        out_.changes.insert(out_.changes.end(), runs_.begin() + (starts_absent ? 1 : 0),
                            runs_.end());
    }

    ByteReader& in_;
    std::uint32_t ticks_;
    InputChanges& out_;
    std::uint64_t total_runs_ = 0;
    std::vector<InputChange> runs_;
    std::vector<InputChange> present_;
};

}  // namespace

bool decode_columns(std::span<const std::byte> block, std::uint32_t ticks, std::uint32_t columns,
                    InputChanges& changes) {
    changes.clear();
    ByteReader in(block);
    ColumnDecoder decoder(in, ticks, changes);
    for (std::uint32_t column = 0; column < columns && in.ok(); ++column) {
        column += static_cast<std::uint32_t>(in.varint(columns - column));
        if (column < columns && in.ok()) {
            decoder.decode(column);
        }
    }
    std::stable_sort(changes.changes.begin(), changes.changes.end(),
                     [](const InputChange& a, const InputChange& b) { return a.tick < b.tick; });
    return in.at_end();
}

}  // namespace isotick::replay
