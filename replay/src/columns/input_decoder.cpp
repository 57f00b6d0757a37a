#include "input_columns.hpp"
#include "plane.hpp"
#include "run_starts.hpp"

#include <isotick/core/plugin.h>

#include <algorithm>
#include <tuple>

namespace isotick::replay {
namespace {

class ColumnDecoder {
  public:
    // What is decoded may count `most` in all.
    ColumnDecoder(ByteReader& in, std::uint64_t most, std::uint32_t ticks, InputChanges& out)
        : in_(in), room_(most), ticks_(ticks), out_(out) {}

    void decode(std::uint32_t column) {
        const std::uint64_t shape = read_shape(in_, ticks_);
        if (!in_.ok()) {
            return;
        }
        runs_.assign(runs_of(shape), InputChange{0, column, 0, 0});
        read_starts(in_, shape, ticks_, runs_);
        read_codes((shape & kOneCode) != 0);
        if (!in_.ok() || !place_bytes()) {
            in_.fail();
            return;
        }
        read_values();
        if (!is_canonical()) {
            in_.fail();
            return;
        }
        out_.changes.insert(out_.changes.end(), first_change(), runs_.end());
    }

  private:
    // A column is absent before its first change, so a leading absent run is none.
    [[nodiscard]] std::vector<InputChange>::iterator first_change() {
        return runs_.begin() + (runs_.front().code == 0 ? 1 : 0);
    }

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

    // Makes room in out_.bytes for all runs; false if there is none.
    bool place_bytes() {
        std::uint64_t end = out_.bytes.size();
        for (auto run = first_change(); run != runs_.end(); ++run) {
            const std::uint64_t size = kChangeSize + run->size();
            if (size > room_) {
                return false;
            }
            room_ -= size;
            run->offset = static_cast<std::uint32_t>(end);
            end += run->size();
        }
        out_.bytes.resize(static_cast<std::size_t>(end));
        return true;
    }

    [[nodiscard]] bool is_same(const InputChange& a, const InputChange& b) const {
        const auto bytes = out_.bytes.begin();
        return a.code == b.code &&
               std::equal(bytes + a.offset, bytes + a.offset + a.size(), bytes + b.offset);
    }

    // Every run is another input than the one before it, and the first than none at all times.
    [[nodiscard]] bool is_canonical() {
        const auto same = [this](const InputChange& a, const InputChange& b) {
            return is_same(a, b);
        };
        return in_.ok() && first_change() != runs_.end() &&
               std::adjacent_find(runs_.begin(), runs_.end(), same) == runs_.end();
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

    ByteReader& in_;
    std::uint64_t room_;  // of what may be decoded, what is left
    std::uint32_t ticks_;
    InputChanges& out_;
    std::vector<InputChange> runs_;
    std::vector<InputChange> present_;
};

}  // namespace

bool decode_columns(const StoredBlock& block, std::uint32_t ticks, std::uint32_t columns,
                    InputChanges& changes) {
    changes.clear();
    ByteReader in(block.raw);
    ColumnDecoder decoder(in, most_decoded(block.bytes), ticks, changes);
    for (std::uint32_t column = 0; column < columns && in.ok(); ++column) {
        column += static_cast<std::uint32_t>(in.varint(columns - column));
        if (column < columns && in.ok()) {
            decoder.decode(column);
        }
    }
    std::sort(changes.changes.begin(), changes.changes.end(),
              [](const InputChange& a, const InputChange& b) {
                  return std::tie(a.tick, a.column) < std::tie(b.tick, b.column);
              });
    return in.at_end();
}

}  // namespace isotick::replay
