#pragma once
// Where hashed bytes go, and which types can be hashed.

#include <isotick/core/detail/contiguous.hpp>
#include <isotick/core/hash.hpp>

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <limits>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <unordered_map>
#include <utility>
#include <vector>

#include <cereal/details/helpers.hpp>

namespace isotick::core {

// Collects a state's canonical bytes and cuts them into hashed parts: what stands behind
// HashArchive, without cereal.

/// Hashes the bytes between begin_part and end_part as one part each; bytes outside of any part
/// form one part of their own named `state`, placed where the first of them came. A state that
/// writes nothing is one empty part `state`. Reused from tick to tick; not thread-safe.
class HashSink {
  public:
    struct Part {
        std::string name;
        PartHash hash;
    };

    HashSink() { begin_state(); }
    HashSink(const HashSink&) = delete;
    HashSink& operator=(const HashSink&) = delete;

    /// Starts a new state, whatever became of the one before.
    void begin_state();
    /// Ends the state; afterwards parts() holds its parts.
    void end_state();

    /// Throws std::logic_error if a part of this name was begun before in this state.
    void begin_part(const char* name);
    void end_part() { end_part({}); }
    /// Ends the part with these bytes: the fast way for one that is nothing else.
    void end_part(std::span<const std::byte> last);

    /// Begins a stream of its own: what is put before the matching end_item belongs to it alone.
    void begin_item();
    /// XXH3-64 of what was put since the matching begin_item.
    [[nodiscard]] std::uint64_t end_item();

    /// Adds canonical bytes. `data` may be null when `size` is 0, as that of an empty vector is.
    void put(const void* data, std::size_t size) {
        if (size > static_cast<std::size_t>(limit_ - cursor_)) {
            put_slowly(data, size);
        } else if (size != 0) {
            std::memcpy(cursor_, data, size);
            cursor_ += size;
        }
    }

    [[nodiscard]] std::span<const Part> parts() const { return std::span(parts_).first(count_); }

    /// Instead of hashing, copies the bytes of one state without parts into `room`, which must
    /// outlive the call of captured.
    void begin_capture(std::span<std::byte> room);
    /// How many bytes were put since begin_capture, those that found no room included.
    [[nodiscard]] std::size_t captured() const;

  private:
    // One stream of bytes: short ones never leave the staging buffer.
    struct Stream {
        std::array<std::byte, 4096> staging;
        std::byte* cursor = nullptr;  // up to date while this is not the current stream
        StreamHasher hasher;
        bool streamed = false;  // the hasher has seen bytes
    };

    static constexpr std::size_t kNoPart = static_cast<std::size_t>(-1);

    void put_slowly(const void* data, std::size_t size);
    void stream(std::span<const std::byte> bytes);
    void open(Stream& stream);
    void go_back_to(Stream& stream);
    [[nodiscard]] std::span<const std::byte> staged() const;
    [[nodiscard]] std::uint64_t finish(std::span<const std::byte> last);
    void claim_rest();
    [[nodiscard]] std::size_t claim_part(const char* name);

    std::byte* cursor_ = nullptr;
    std::byte* limit_ = nullptr;
    Stream* current_ = nullptr;
    Stream rest_;
    Stream named_;
    std::vector<std::unique_ptr<Stream>> items_;
    std::vector<Stream*> around_items_;  // the streams that open items interrupt
    std::size_t named_part_ = kNoPart;
    std::size_t rest_part_ = kNoPart;
    std::vector<Part> parts_;
    std::size_t count_ = 0;
    bool as_before_ = true;  // the parts so far are those of the state before
    std::span<std::byte> capture_;
    std::size_t uncaptured_ = 0;
};

// Questions about types that the hash archive asks.

class HashArchive;

namespace detail {

// How a kind of value is put; the primary stands for whatever cereal or the user serializes.
template <class T>
struct HashValue {
    static void put(HashArchive& archive, const T& value);
};

template <class T>
inline constexpr bool kIsStdArray = false;
template <class T, std::size_t N>
inline constexpr bool kIsStdArray<std::array<T, N>> = true;

template <class T>
inline constexpr bool kMemoryIsCanonical = is_contiguous_v<T> &&
                                           (std::endian::native == std::endian::little ||
                                            sizeof(T) == 1);

template <class T>
inline constexpr bool kIsNumber = std::is_arithmetic_v<T> || std::is_enum_v<T>;

// The unsigned integer of a number's size.
template <std::size_t kSize>
using Bits = std::conditional_t<kSize == 8, std::uint64_t, std::uint32_t>;

// A float's bits without loading it into a register, where x87 would change them.
template <class T>
Bits<sizeof(T)> bits_of(const T& value) {
    Bits<sizeof(T)> bits;
    std::memcpy(&bits, &value, sizeof bits);
    return bits;
}

template <class T>
bool is_nan_bits(Bits<sizeof(T)> bits) {
    constexpr auto kInfinity = std::bit_cast<Bits<sizeof(T)>>(std::numeric_limits<T>::infinity());
    return (bits & ~(Bits<sizeof(T)>{1} << (8 * sizeof(T) - 1))) > kInfinity;
}

}  // namespace detail

}  // namespace isotick::core

namespace isotick::core::detail {

// Which shared objects a walk has met, so that graphs are hashed once per object.

// One address per type: an object and its first member share theirs.
template <class T>
inline constexpr char kTypeTag = 0;

/// Numbers objects in the order in which they are met, from 1 in each part. One per walk. Addresses
/// are only looked up, never ordered, so that they cannot reach the hash.
class SharedObjects {
  public:
    struct Met {
        std::uint64_t reference = 0;  ///< part number in the upper half, number in the lower
        bool first = false;           ///< met for the first time: its bytes follow
    };

    /// `object` is not null and kept alive with this; `weak`: through a weak_ptr. If met for the
    /// first time, `close` must follow when its bytes are done. Throws std::logic_error if
    /// `object` owns itself through the shared_ptrs by which it was reached.
    Met meet(std::shared_ptr<const void> object, const void* type, bool weak, std::uint32_t part);
    void close();

  private:
    struct Key {
        const void* object;
        const void* type;
        friend bool operator==(const Key&, const Key&) = default;
    };
    struct Spread {
        std::size_t operator()(const Key& key) const;
    };
    struct Entry {
        std::uint64_t reference;
        std::size_t place;  // among the open ones, from 1; 0: done
    };
    struct Open {
        Entry* entry;
        std::size_t chain;  // how many were open outside of the chain of shared_ptrs it is in
    };

    std::uint32_t next_number(std::uint32_t part);

    std::unordered_map<Key, Entry, Spread> entries_;
    std::vector<std::shared_ptr<const void>> kept_;
    std::vector<Open> open_;
    std::uint32_t numbers_outside_ = 0;
    std::uint32_t numbers_in_part_ = 0;
    std::uint32_t part_ = 0;
};

// Where in the state a walk is: `units[17].velocity.y`, put together only when somebody asks.

/// A stack of names and indices. Costs a store or two per step; steps beyond the 64th are counted
/// and not kept. Names must live until they are left.
class StatePath {
  public:
    void enter(const char* name) {
        if (count_ < steps_.size()) {
            steps_[count_] = {name, 0};
        }
        ++count_;
    }
    /// Enters a container: its elements are told apart by set_index.
    void enter_elements() { enter(nullptr); }
    void set_index(std::uint64_t index) {
        if (count_ <= steps_.size()) {
            steps_[count_ - 1].index = index;
        }
    }
    void leave() { --count_; }

    /// Empty at the root; ends with `…` where steps were not kept.
    [[nodiscard]] std::string text() const;

  private:
    struct Step {
        const char* name;
        std::uint64_t index;
    };
    std::array<Step, 64> steps_;
    std::size_t count_ = 0;
};

// What the hash archive refuses at compile time, and what to do instead.

template <class T>
struct IsStringView : std::false_type {};
template <class C, class Traits>
struct IsStringView<std::basic_string_view<C, Traits>> : std::true_type {};

template <class T>
struct IsCallable : std::is_function<T> {};
template <class Signature>
struct IsCallable<std::function<Signature>> : std::true_type {};

template <class T>
struct IsSmartPointer : std::false_type {};
template <class T, class D>
struct IsSmartPointer<std::unique_ptr<T, D>> : std::true_type {};
template <class T>
struct IsSmartPointer<std::shared_ptr<T>> : std::true_type {};
template <class T>
struct IsSmartPointer<std::weak_ptr<T>> : std::true_type {};

template <class T>
struct IsArrayPointer : std::false_type {};
template <class T, class D>
struct IsArrayPointer<std::unique_ptr<T[], D>> : std::true_type {};
template <class T>
struct IsArrayPointer<std::shared_ptr<T[]>> : std::true_type {};

// A set or map whose order is that of addresses.
template <class T>
constexpr bool is_ordered_by_address() {
    if constexpr (requires { typename T::key_compare; }) {
        return IsSmartPointer<typename T::key_type>::value;
    } else {
        return false;
    }
}

template <class T>
constexpr void refuse_what_has_no_hash() {
    static_assert(
        !std::is_pointer_v<T> && !std::is_member_pointer_v<T> && !std::is_null_pointer_v<T>,
        "isotick: a raw pointer is an address, not state: serialize an index or an id "
        "instead, or own the object through std::unique_ptr or std::shared_ptr");
    static_assert(!std::is_same_v<T, long double>,
                  "isotick: long double has no portable bits: use double in hashed state");
    static_assert(!std::is_same_v<T, wchar_t>,
                  "isotick: wchar_t differs in size between platforms: use char8_t, char16_t or "
                  "char32_t in hashed state");
    static_assert(!IsStringView<T>::value,
                  "isotick: a string_view does not own its text, so no snapshot can restore it: "
                  "use std::string in hashed state");
    static_assert(!IsCallable<T>::value,
                  "isotick: a function has no bits to hash: serialize an enum or a name that says "
                  "which one it is");
    static_assert(!IsArrayPointer<T>::value,
                  "isotick: a pointer to an array does not know its length: use std::vector");
    static_assert(!is_ordered_by_address<T>(),
                  "isotick: this set or map is ordered by the addresses of its keys, which differ "
                  "from run to run: use an id as key");
    static_assert(!std::is_base_of_v<cereal::detail::DeferredDataCore, T>,
                  "isotick: cereal::defer is not supported in hashed state: serialize the value "
                  "itself");
}

}  // namespace isotick::core::detail

namespace isotick::core {

// What is thrown when a state cannot be walked.

/// A state that cannot be hashed: too deep, a cycle, or the user's own code threw. The text begins
/// with the path reached so far.
class StateError : public std::logic_error {
  public:
    /// `path` may be empty: the root itself.
    StateError(std::string path, const std::string& reason)
        : logic_error("at " + (path.empty() ? "the root of the state" : path) + ": " + reason),
          path_(std::move(path)) {}

    [[nodiscard]] const std::string& path() const { return path_; }

  private:
    std::string path_;
};

}  // namespace isotick::core
