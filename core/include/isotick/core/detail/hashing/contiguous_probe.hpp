#pragma once
// Holds the promise of ISOTICK_CONTIGUOUS against the type.

#include <isotick/core/detail/hashing/contiguous.hpp>
#include <isotick/core/hash_archive.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace isotick::core {

namespace detail {

/// What check_contiguous learns besides.
struct ContiguousFacts {
    bool has_floats = false;
};

/// Fills `bytes` with the `round`th pattern, bytes of 0 and 1 but for the last round (a bool must
/// hold nothing else); false: there are no more. Over all rounds each byte's values tell it from
/// every other byte, and each changes.
[[nodiscard]] bool fill_pattern(std::span<std::byte> bytes, unsigned round);

/// Throws std::logic_error unless `hashed`, of which there were `count`, are the bytes of `memory`.
void require_same_bytes(const char* type, std::span<const std::byte> memory,
                        std::span<const std::byte> hashed, std::size_t count);

template <class T>
ContiguousFacts probe_contiguous() {
    struct alignas(T) Memory {
        std::array<std::byte, sizeof(T)> bytes;
    };
    const auto memory = std::make_unique<Memory>();
    std::vector<std::byte> hashed(sizeof(T));
    HashSink sink;
    ContiguousFacts facts;
    for (unsigned round = 0; fill_pattern(memory->bytes, round); ++round) {
        sink.begin_capture(hashed);
        HashArchive archive(sink, Floats::noted);
        archive.put_inner(*reinterpret_cast<const T*>(memory->bytes.data()));
        require_same_bytes(kContiguousMark<T>, memory->bytes, hashed, sink.captured());
        facts.has_floats = archive.saw_floats();
    }
    return facts;
}

template <class T>
const ContiguousFacts& proven_contiguous() {
    static const ContiguousFacts facts = probe_contiguous<T>();
    return facts;
}

}  // namespace detail

/// Proves on patterns of bytes that `serialize` of T, which must be marked ISOTICK_CONTIGUOUS,
/// visits every byte of memory once and in order. Throws std::logic_error with the type's name and
/// the offset of the first byte where it does not. The proof is kept: later calls cost nothing.
/// HashArchive does this by itself when it first meets T. Thread-safe.
template <class T>
void check_contiguous() {
    static_assert(kContiguousMark<T> != nullptr, "mark the type with ISOTICK_CONTIGUOUS first");
    detail::proven_contiguous<T>();
}

}  // namespace isotick::core
