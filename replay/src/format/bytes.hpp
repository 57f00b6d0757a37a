#pragma once
// Bytes in memory, by the names that this module calls them.

#include <isotick/core/detail/bytes.hpp>

namespace isotick::replay {

using core::ByteReader;
using core::Bytes;
using core::put;
using core::put_bytes;
using core::put_string;
using core::put_varint;
using core::store;

/// Makes `bytes` so many, whatever they are then; takes no more memory than that.
inline void set_size(Bytes& bytes, std::size_t size) {
    if (bytes.capacity() < size) {
        Bytes().swap(bytes);
    }
    bytes.resize(size);
}

}  // namespace isotick::replay
