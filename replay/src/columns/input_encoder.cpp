#include "input_columns.hpp"
#include "plane.hpp"
#include "run_starts.hpp"

#include <algorithm>
#include <bit>

namespace isotick::replay {
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
