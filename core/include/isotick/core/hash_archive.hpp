#pragma once
// A cereal output archive that hashes: canonical bytes of the state, in declaration order,
// little-endian, with the sizes of containers, without names, padding or class versions.
// core/README.md defines them for every kind of value.

#include <isotick/core/detail/contiguous.hpp>
#include <isotick/core/detail/hash_sink.hpp>

#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>

#include <cereal/cereal.hpp>

namespace isotick::core {

/// What the walk does with floating-point numbers.
enum class Floats : std::uint8_t {
    bits,     ///< hashes them as they are
    one_nan,  ///< hashes every NaN as the quiet one
    watched,  ///< notes the path of the first NaN
    noted,    ///< notes that there are any
};

/// Writes one state into a HashSink. Each name-value pair that the root object serializes directly
/// is a part; everything else the root serializes belongs to the part `state`. Sizes are 64 bits.
/// −0.0 differs from 0.0. One archive per state (it remembers shared pointers); use hash_state.
class HashArchive : public cereal::OutputArchive<HashArchive, cereal::AllowEmptyClassElision> {
  public:
    /// Objects nested deeper than this are refused, so that no state can exhaust the stack.
    static constexpr int kDeepest = 1000;

    /// Writes into `sink`, which must outlive the archive.
    explicit HashArchive(HashSink& sink, Floats floats = Floats::bits)
        : OutputArchive(this),
          sink_(sink),
          floats_(floats),
          by_value_(floats == Floats::watched || floats == Floats::noted) {}

    /// Adds values. Types that have no canonical bytes do not compile; the message says what to do.
    template <class... T>
    HashArchive& operator()(T&&... values) {
        (put(values), ...);
        return *this;
    }
    template <class T>
    HashArchive& operator&(T&& value) {
        return (*this)(value);
    }
    template <class T>
    HashArchive& operator<<(T&& value) {
        return (*this)(value);
    }

    /// Adds the root object: the pairs it serializes directly become parts.
    template <class T>
    void put_root(const T& root) {
        if constexpr (std::is_class_v<T>) {
            put_through_cereal(root);
        } else {
            put(root);
        }
    }
    /// Adds an object that has no parts, value by value.
    template <class T>
    void put_inner(const T& object) {
        in_part_ = true;
        put_through_cereal(object);
    }
    template <class T>
    void put(const T& value);
    /// Adds a value as cereal's own headers or the user's serialize say.
    template <class T>
    void put_through_cereal(const T& value);

    /// Adds a number, little-endian.
    template <class T>
    void put_number(const T& value);
    void put_size(std::size_t size) { put_number(static_cast<std::uint64_t>(size)); }
    /// Adds consecutive elements: in one piece where their memory is canonical.
    template <class T>
    void put_elements(const T* elements, std::size_t count);
    template <class T>
    void put_named(const char* name, const T& value);
    /// Adds the number of the object and, where it is met first, the object. Null is 0.
    template <class T>
    void put_shared(const std::shared_ptr<T>& pointer);
    template <class T>
    void put_weak(const std::weak_ptr<T>& pointer);
    /// The elements of a container without an order of its own, in the order of their keys' hashes.
    template <class T>
    void put_unordered(const T& container);

    /// Called by cereal around each object.
    void enter() {
        if (++depth_ > kDeepest) {
            throw std::logic_error("objects are nested more than 1000 deep");
        }
    }
    void leave() { --depth_; }

    /// cereal asks for the number of a polymorphic type; the answer makes it write the registered
    /// name each time, so that no hash depends on what came before.
    std::uint32_t registerPolymorphicType(const char* /*name*/) {
        return cereal::detail::msb_32bit;
    }

    /// Where the walk is, or was when something was thrown.
    [[nodiscard]] std::string where() const { return failed_at_ ? *failed_at_ : path_.text(); }
    /// Where the first NaN was, if floats are watched.
    [[nodiscard]] const std::optional<std::string>& nan_at() const { return nan_at_; }
    /// Whether there were floats, if they are noted.
    [[nodiscard]] bool saw_floats() const { return saw_floats_; }

  private:
    using Base = cereal::OutputArchive<HashArchive, cereal::AllowEmptyClassElision>;

    static constexpr int kDirectlyInRoot = 1;

    template <class T>
    [[nodiscard]] bool is_one_piece() const;
    template <class T>
    void put_part(const char* name, const T& value);
    template <class T>
    void put_careful_float(const T& value);
    template <class T, class Visit>
    void visit_in_hash_order(const T& container, const Visit& visit);
    template <class T>
    std::uint64_t hash_item(const T& value);
    void keep_path() {
        if (!failed_at_) {
            failed_at_ = path_.text();
        }
    }

    HashSink& sink_;
    Floats floats_;
    bool by_value_;
    bool in_part_ = false;
    bool through_weak_ = false;
    bool saw_floats_ = false;
    int depth_ = 0;
    int keys_ = 0;  // more than 0: inside of an unordered container's key
    std::uint32_t part_number_ = 0;
    std::uint32_t named_parts_ = 0;
    detail::StatePath path_;
    detail::SharedObjects shared_;
    std::optional<std::string> failed_at_;
    std::optional<std::string> nan_at_;
};

/// Hashes `state` through its cereal serialize function; sink.parts() then holds the parts. Throws
/// StateError, with the path reached, where the state is too deep or cyclic or its own code throws.
template <class T>
void hash_state(const T& state, HashSink& sink, NanPolicy nans = NanPolicy::bits);

/// The path of the first NaN that the state holds (`units[17].velocity.y`; unnamed values show as
/// nothing). As slow as hashing value by value. Throws what hash_state throws.
template <class T>
[[nodiscard]] std::optional<std::string> find_nan(const T& state);

}  // namespace isotick::core

#include <isotick/core/detail/hash_values.hpp>

CEREAL_REGISTER_ARCHIVE(isotick::core::HashArchive)
