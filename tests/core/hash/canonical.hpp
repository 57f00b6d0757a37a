#pragma once
// What the hash archive makes of values, for tests.

#include <isotick/core/hash_archive.hpp>

#include <cstddef>
#include <vector>

namespace isotick::core::core_tests {

template <class T>
struct Holder {
    const T& value;
    template <class Archive>
    void save(Archive& archive) const {
        archive(value);
    }
};

/// The canonical bytes of `value`, which must not hold unordered containers.
template <class T>
std::vector<int> canonical(const T& value, Floats floats = Floats::bits) {
    std::vector<std::byte> room(65536);
    HashSink sink;
    sink.begin_capture(room);
    HashArchive archive(sink, floats);
    archive.put_inner(Holder<T>{value});
    std::vector<int> bytes;
    for (std::size_t i = 0; i < sink.captured(); ++i) {
        bytes.push_back(std::to_integer<int>(room.at(i)));
    }
    return bytes;
}

/// The hash of a state of one unnamed part that holds only `value`.
template <class T>
std::uint64_t hash_alone(const T& value, NanPolicy nans = NanPolicy::bits) {
    HashSink sink;
    hash_state(Holder<T>{value}, sink, nans);
    return sink.parts().front().hash.value;
}

}  // namespace isotick::core::core_tests
