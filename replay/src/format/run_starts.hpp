#pragma once
// Runs of equal values, and signed numbers as unsigned ones.

#include "bytes.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace isotick::replay {

// Differences as numbers that are small where the difference is: 0, −1, 1, −2 … become 0, 1, 2, 3 …

/// `difference` is one modulo 2^64.
[[nodiscard]] constexpr std::uint64_t zigzag(std::uint64_t difference) {
    return difference << 1 ^ (std::uint64_t{0} - (difference >> 63));
}
[[nodiscard]] constexpr std::uint64_t unzigzag(std::uint64_t code) {
    return code >> 1 ^ (std::uint64_t{0} - (code & 1));
}

// Where the runs of a column start (FORMAT.md, "A column is a sequence of runs"): for inputs and
// for dts alike. A run has a member `tick`, counted from the chunk's first; the first run's is 0.

/// Bits of a column's first varint, its shape, below its number of runs minus 1.
inline constexpr std::uint64_t kOneCode = 1;         ///< all runs have the same code
inline constexpr std::uint64_t kStartsAsBitmap = 2;  ///< run starts are a bitmap, not lengths

[[nodiscard]] constexpr std::size_t bits_size(std::size_t bits) {
    return (bits + 7) / 8;
}

inline void set_bit(std::span<std::byte> bitmap, std::size_t bit) {
    bitmap[bit / 8] |= static_cast<std::byte>(1U << (bit % 8));
}

[[nodiscard]] inline bool bit_of(std::span<const std::byte> bitmap, std::size_t bit) {
    return (std::to_integer<unsigned>(bitmap[bit / 8]) >> (bit % 8) & 1U) != 0;
}

/// Appends the shape and the starts of `runs` over `ticks` ticks, in the shorter form.
template <class Run>
void put_shape(const std::vector<Run>& runs, std::uint32_t ticks, bool one_code, Bytes& out) {
    const std::size_t bitmap_size = bits_size(ticks - 1);
    Bytes lengths;
    for (std::size_t i = 1; i < runs.size(); ++i) {
        put_varint(lengths, runs[i].tick - runs[i - 1].tick - 1);
    }
    const bool as_bitmap = bitmap_size < lengths.size();
    put_varint(out, (runs.size() - 1) << 2 | (one_code ? kOneCode : 0) |
                        (as_bitmap ? kStartsAsBitmap : 0));
    if (!as_bitmap) {
        put_bytes(out, lengths);
        return;
    }
    const std::size_t at = out.size();
    out.resize(at + bitmap_size);
    for (std::size_t i = 1; i < runs.size(); ++i) {
        set_bit(std::span(out).subspan(at), runs[i].tick - 1);
    }
}

/// Reads a shape: at most what `ticks` ticks can have. Fails the reader on more.
[[nodiscard]] inline std::uint64_t read_shape(ByteReader& in, std::uint32_t ticks) {
    return in.varint((std::uint64_t{ticks - 1} << 2) | 3);
}

[[nodiscard]] constexpr std::size_t runs_of(std::uint64_t shape) {
    return static_cast<std::size_t>((shape >> 2) + 1);
}

/// Sets the `tick` of all runs but the first. Fails the reader on what is not well-formed.
template <class Run>
void read_starts(ByteReader& in, std::uint64_t shape, std::uint32_t ticks, std::vector<Run>& runs) {
    if ((shape & kStartsAsBitmap) == 0) {
        std::uint64_t start = 0;
        for (std::size_t i = 1; i < runs.size() && in.ok(); ++i) {
            start += in.varint(ticks) + 1;
            if (start >= ticks) {
                in.fail();
            }
            runs[i].tick = static_cast<std::uint32_t>(start);
        }
        return;
    }
    const auto bitmap = in.take(bits_size(ticks - 1));
    std::size_t found = 1;
    for (std::uint32_t bit = 0; in.ok() && bit < bitmap.size() * 8; ++bit) {
        if (!bit_of(bitmap, bit)) {
            continue;
        }
        if (found == runs.size() || bit + 1 >= ticks) {
            in.fail();
            return;
        }
        runs[found++].tick = bit + 1;
    }
    if (found != runs.size()) {
        in.fail();
    }
}

}  // namespace isotick::replay
