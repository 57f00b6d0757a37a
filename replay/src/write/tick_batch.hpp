#pragma once
// Ticks on their way from the thread that plays to the one that writes: changes of inputs,
// dts and hashes, in one block of memory that is reused.

#include <isotick/core/detail/tick_dt.hpp>
#include <isotick/core/plugin.h>
#include <isotick/replay/detail/tick_hashes.hpp>

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace isotick::replay {

/// As memcpy, without a call for what pads are: eight bytes or less.
inline void copy_short(void* to, const void* from, std::size_t size) {
    if (size == sizeof(std::uint64_t)) {
        std::memcpy(to, from, sizeof(std::uint64_t));
    } else if (size != 0) {
        std::memcpy(to, from, size);
    }
}

/// Bytes at the end of which there is always room. Grows by doubling, never shrinks.
class Lane {
  public:
    /// Room for `count` more bytes, valid until the next call.
    [[nodiscard]] std::byte* claim(std::size_t count) {
        if (count > capacity_ - size_) {
            grow(count);
        }
        std::byte* const room = data_.get() + size_;
        size_ += count;
        return room;
    }
    template <class T>
    void put(const T& value) {
        std::memcpy(claim(sizeof value), &value, sizeof value);
    }
    void clear() { size_ = 0; }
    [[nodiscard]] std::span<const std::byte> bytes() const { return {data_.get(), size_}; }

  private:
    void grow(std::size_t count);

    std::unique_ptr<std::byte[]> data_;
    std::size_t size_ = 0;
    std::size_t capacity_ = 0;
};

/// How an input is written down: 0 for absent, else its size plus 1.
[[nodiscard]] inline std::uint32_t input_code(const isotick_input& input) {
    return input.present == 0 ? 0 : static_cast<std::uint32_t>(input.size) + 1;
}

/// The input of one player: 0 for absent, else its size plus 1; and its bytes.
struct ColumnInput {
    std::uint32_t code = 0;
    std::vector<std::uint8_t> bytes;  // at least as many as the size; others are left over

    [[nodiscard]] std::uint32_t size() const { return code == 0 ? 0 : code - 1; }
    void set(std::uint32_t new_code, const std::uint8_t* data) {
        code = new_code;
        if (bytes.size() < size()) {
            bytes.resize(size());
        }
        if (size() != 0) {
            std::memcpy(bytes.data(), data, size());
        }
    }
};

/// Ticks in a row. Numbers are as this machine has them: both ends are in one process.
class TickBatch {
  public:
    void clear() {
        lane_.clear();
        ticks_ = 0;
    }
    [[nodiscard]] std::uint32_t ticks() const { return ticks_; }

    void add_change(std::uint32_t column, std::uint32_t code, const std::uint8_t* data) {
        const std::uint32_t size = code == 0 ? 0 : code - 1;
        const std::uint32_t head[2] = {column, code};
        std::byte* const room = lane_.claim(sizeof head + size);
        std::memcpy(room, head, sizeof head);
        copy_short(room + sizeof head, data, size);
    }

    /// The dt of the tick, where it is not the constant one.
    void add_dt(core::TickDt dt) {
        lane_.put(kDt);
        lane_.put(dt);
    }

    /// Ends the changes of one tick. `hashes` may be null.
    void end_tick(const TickHashes* hashes) {
        ++ticks_;
        if (hashes == nullptr) {
            lane_.put(kEnd);
            return;
        }
        const auto parts = static_cast<std::uint32_t>(hashes->parts.size());
        const std::uint32_t mark[2] = {kEndWithHashes, parts};
        std::byte* const room = lane_.claim(sizeof mark + sizeof hashes->state);
        std::memcpy(room, mark, sizeof mark);
        std::memcpy(room + sizeof mark, &hashes->state, sizeof hashes->state);
        if (parts != 0) {
            std::memcpy(lane_.claim(hashes->parts.size_bytes()), hashes->parts.data(),
                        hashes->parts.size_bytes());
        }
    }

    /// Calls `tick(const TickHashes*, std::optional<core::TickDt>)` for each tick, after its
    /// changes were made to `columns`; stops where that returns false.
    template <class TickCall>
    void unpack(std::vector<ColumnInput>& columns, std::vector<core::PartHash>& parts,
                const TickCall& tick) const {
        std::span<const std::byte> rest = lane_.bytes();
        for (std::uint32_t i = 0; i < ticks_; ++i) {
            std::uint32_t mark = take<std::uint32_t>(rest);
            for (; mark < kDt; mark = take<std::uint32_t>(rest)) {
                const auto code = take<std::uint32_t>(rest);
                const std::size_t size = code == 0 ? 0 : code - 1;
                columns[mark].set(code, reinterpret_cast<const std::uint8_t*>(rest.data()));
                rest = rest.subspan(size);
            }
            std::optional<core::TickDt> dt;
            if (mark == kDt) {
                dt = take_dt(rest);
                mark = take<std::uint32_t>(rest);
            }
            std::optional<TickHashes> hashes;
            if (mark == kEndWithHashes) {
                hashes = take_hashes(rest, parts);
            }
            if (!tick(hashes ? &*hashes : nullptr, dt)) {
                return;
            }
        }
    }

  private:
    // In the place of a column's number.
    static constexpr std::uint32_t kEnd = 0xffffffff;
    static constexpr std::uint32_t kEndWithHashes = 0xfffffffe;
    static constexpr std::uint32_t kDt = 0xfffffffd;

    template <class T>
    static T take(std::span<const std::byte>& rest) {
        T value;
        std::memcpy(&value, rest.data(), sizeof value);
        rest = rest.subspan(sizeof value);
        return value;
    }

    // Not made anew, which would bring it to lowest terms once more.
    static core::TickDt take_dt(std::span<const std::byte>& rest) {
        return std::bit_cast<core::TickDt>(take<std::array<std::byte, sizeof(core::TickDt)>>(rest));
    }

    static TickHashes take_hashes(std::span<const std::byte>& rest,
                                  std::vector<core::PartHash>& parts) {
        TickHashes hashes;
        parts.resize(take<std::uint32_t>(rest));
        hashes.state = take<core::StateHash>(rest);
        for (core::PartHash& part : parts) {
            part = take<core::PartHash>(rest);
        }
        hashes.parts = parts;
        return hashes;
    }

    Lane lane_;
    std::uint32_t ticks_ = 0;
};

}  // namespace isotick::replay
