#include "input_columns.hpp"

#include "run_starts.hpp"

#include <isotick/core/plugin.h>
#include <isotick/replay/detail/stored_ticks.hpp>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <span>
#include <tuple>

namespace isotick::replay {

// What the encoder and the decoder of input columns share.

/// How the bytes at one position of a column's inputs follow each other from run to run.
enum class PlaneMode : std::uint8_t {
    constant = 0,  ///< all the same
    dense = 1,     ///< a delta for each run but the first
    sparse = 2,    ///< a bitmap of the deltas that are not zero, then these
};

/// Whether the present runs of a column store their bytes as planes: at least two of one size.
[[nodiscard]] inline bool has_planes(std::span<const InputChange> present) {
    return present.size() > 1 && present.front().size() > 0 &&
           std::all_of(present.begin(), present.end(),
                       [&](const InputChange& run) { return run.code == present.front().code; });
}

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

namespace {

// The runs of one column: its changes, with a leading absent run where it starts absent.
class ColumnEncoder {
  public:
    ColumnEncoder(const InputChanges& all, std::uint32_t ticks, PlaneChoice choice, Bytes& out)
        : all_(all), ticks_(ticks), choice_(choice), out_(out) {}

    // `changes` are those of this column, by tick; not empty.
    void encode(std::span<const InputChange> changes) {
        runs_.clear();
        if (changes.front().tick != 0) {
            runs_.push_back(InputChange{});
        }
        runs_.insert(runs_.end(), changes.begin(), changes.end());
        put_starts_and_codes();
        put_values();
    }

  private:
    void put_starts_and_codes() {
        const bool one_code = std::all_of(runs_.begin(), runs_.end(), [&](const InputChange& run) {
            return run.code == runs_.front().code;
        });
        put_shape(runs_, ticks_, one_code, out_);
        for (std::size_t i = 0; i < (one_code ? 1 : runs_.size()); ++i) {
            put_varint(out_, runs_[i].code);
        }
    }

    void put_values() {
        std::erase_if(runs_, [](const InputChange& run) { return run.code == 0; });
        if (!has_planes(runs_)) {
            for (const InputChange& run : runs_) {
                put_bytes(out_,
                          std::as_bytes(std::span(all_.bytes).subspan(run.offset, run.size())));
            }
            return;
        }
        const std::uint32_t size = runs_.front().size();
        const std::size_t modes_at = out_.size();
        out_.resize(modes_at + (size + 3) / 4);
        for (std::uint32_t position = 0; position < size; ++position) {
            const PlaneMode mode = put_plane(position);
            out_[modes_at + position / 4] |=
                static_cast<std::byte>(static_cast<unsigned>(mode) << (2 * (position % 4)));
        }
    }

    [[nodiscard]] std::uint8_t byte_of(std::size_t run, std::uint32_t position) const {
        return all_.bytes[runs_[run].offset + position];
    }

    PlaneMode put_plane(std::uint32_t position) {
        deltas_.clear();
        non_zero_.clear();
        for (std::size_t i = 1; i < runs_.size(); ++i) {
            const auto delta =
                static_cast<std::byte>(byte_of(i, position) - byte_of(i - 1, position));
            deltas_.push_back(delta);
            if (delta != std::byte{0}) {
                non_zero_.push_back(delta);
            }
        }
        out_.push_back(static_cast<std::byte>(byte_of(0, position)));
        if (non_zero_.empty() && choice_ != PlaneChoice::full) {
            return PlaneMode::constant;
        }
        const std::size_t bitmap_size = bits_size(deltas_.size());
        if (choice_ != PlaneChoice::smallest || bitmap_size + non_zero_.size() >= deltas_.size()) {
            put_bytes(out_, deltas_);
            return PlaneMode::dense;
        }
        const std::size_t at = out_.size();
        out_.resize(at + bitmap_size);
        for (std::size_t i = 0; i < deltas_.size(); ++i) {
            if (deltas_[i] != std::byte{0}) {
                set_bit(std::span(out_).subspan(at), i);
            }
        }
        put_bytes(out_, non_zero_);
        return PlaneMode::sparse;
    }

    const InputChanges& all_;
    std::uint32_t ticks_;
    PlaneChoice choice_;
    Bytes& out_;
    std::vector<InputChange> runs_;
    Bytes deltas_;
    Bytes non_zero_;
};

}  // namespace

void encode_columns(const InputChanges& changes, std::uint32_t ticks, std::uint32_t columns,
                    PlaneChoice choice, Bytes& out) {
    std::vector<InputChange> sorted = changes.changes;
    std::stable_sort(sorted.begin(), sorted.end(), [](const InputChange& a, const InputChange& b) {
        return a.column < b.column;
    });
    ColumnEncoder encoder(changes, ticks, choice, out);
    std::uint32_t next_column = 0;
    for (std::size_t begin = 0; begin < sorted.size();) {
        const std::uint32_t column = sorted[begin].column;
        std::size_t end = begin;
        while (end < sorted.size() && sorted[end].column == column) {
            ++end;
        }
        put_varint(out, column - next_column);
        encoder.encode(std::span(sorted).subspan(begin, end - begin));
        next_column = column + 1;
        begin = end;
    }
    if (next_column < columns) {
        put_varint(out, columns - next_column);
    }
}

}  // namespace isotick::replay
