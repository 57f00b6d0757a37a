#pragma once
// A cereal output archive that hashes: canonical bytes of the state, in declaration order,
// little-endian, with the sizes of containers, without names, padding or class versions.

#include <isotick/core/hash_sink.hpp>

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <type_traits>

#include <cereal/cereal.hpp>

namespace isotick::core {

/// Writes one state into a HashSink. Each name-value pair that the root object serialises directly
/// is a part; everything else the root serialises belongs to the part `state`. Sizes are 64 bits.
/// −0.0 differs from 0.0, and a NaN's bits count. One archive per state (cereal remembers shared
/// pointers in it); use hash_state.
class HashArchive : public cereal::OutputArchive<HashArchive, cereal::AllowEmptyClassElision> {
  public:
    explicit HashArchive(HashSink& sink) : OutputArchive(this), sink_(sink) {}

    /// Adds one number, little-endian.
    template <class T>
    void put_number(T value) {
        static_assert(!std::is_same_v<T, long double>,
                      "long double has no portable bits: keep it out of hashed state");
        if constexpr (std::endian::native == std::endian::little || sizeof(T) == 1) {
            sink_.put(&value, sizeof value);
        } else {
            unsigned char bytes[sizeof value];
            std::memcpy(bytes, &value, sizeof value);
            for (std::size_t i = sizeof value; i-- > 0;) {
                sink_.put(&bytes[i], 1);
            }
        }
    }

    /// Adds `count` consecutive numbers in one piece.
    template <class T>
    void put_numbers(const T* values, std::size_t count) {
        if constexpr (std::endian::native == std::endian::little || sizeof(T) == 1) {
            sink_.put(values, count * sizeof(T));
        } else {
            for (std::size_t i = 0; i < count; ++i) {
                put_number(values[i]);
            }
        }
    }

    void enter() { ++depth_; }
    void leave() { --depth_; }

    /// A name-value pair begins: a part, if the root object serialises it directly.
    void enter_named(const char* name) {
        if (depth_ == kDirectlyInRoot) {
            sink_.begin_part(name);
        }
        ++depth_;
    }
    void leave_named() {
        --depth_;
        if (depth_ == kDirectlyInRoot) {
            sink_.end_part();
        }
    }

  private:
    static constexpr int kDirectlyInRoot = 1;

    HashSink& sink_;
    int depth_ = 0;
};

/// Hashes `state` through its cereal serialize function; sink.parts() then holds the parts.
/// Passes on what the state's own code throws.
template <class T>
void hash_state(const T& state, HashSink& sink) {
    sink.begin_state();
    HashArchive archive(sink);
    archive(state);
    sink.end_state();
}

// What cereal calls for each kind of value, found by argument-dependent lookup.

/// cereal writes a class's version as a pair of this name: not part of the state.
template <class T>
bool is_class_version([[maybe_unused]] const cereal::NameValuePair<T>& pair) {
    if constexpr (std::is_same_v<std::decay_t<T>, std::uint32_t>) {
        return std::string_view(pair.name) == "cereal_class_version";
    } else {
        return false;
    }
}

template <class T>
void prologue(HashArchive& archive, const T&) {
    if constexpr (std::is_class_v<T>) {
        archive.enter();
    }
}

template <class T>
void epilogue(HashArchive& archive, const T&) {
    if constexpr (std::is_class_v<T>) {
        archive.leave();
    }
}

template <class T>
void prologue(HashArchive& archive, const cereal::NameValuePair<T>& pair) {
    if (!is_class_version(pair)) {
        archive.enter_named(pair.name);
    }
}

template <class T>
void epilogue(HashArchive& archive, const cereal::NameValuePair<T>& pair) {
    if (!is_class_version(pair)) {
        archive.leave_named();
    }
}

template <class T, cereal::traits::EnableIf<std::is_arithmetic_v<T>> = cereal::traits::sfinae>
void CEREAL_SAVE_FUNCTION_NAME(HashArchive& archive, const T& value) {
    archive.put_number(value);
}

template <class T>
void CEREAL_SERIALIZE_FUNCTION_NAME(HashArchive& archive, cereal::NameValuePair<T>& pair) {
    if (!is_class_version(pair)) {
        archive(pair.value);
    }
}

template <class T>
void CEREAL_SERIALIZE_FUNCTION_NAME(HashArchive& archive, cereal::SizeTag<T>& tag) {
    archive.put_number(static_cast<std::uint64_t>(tag.size));
}

template <class T>
void CEREAL_SAVE_FUNCTION_NAME(HashArchive& archive, const cereal::BinaryData<T>& data) {
    using Value = std::remove_cv_t<std::remove_pointer_t<std::decay_t<T>>>;
    static_assert(std::is_arithmetic_v<Value>, "binary_data must be of numbers to be hashed");
    archive.put_numbers(static_cast<const Value*>(data.data),
                        static_cast<std::size_t>(data.size) / sizeof(Value));
}

}  // namespace isotick::core

CEREAL_REGISTER_ARCHIVE(isotick::core::HashArchive)
