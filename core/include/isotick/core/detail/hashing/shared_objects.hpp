#pragma once
// Which shared objects a walk has met, so that graphs are hashed once per object.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

namespace isotick::core::detail {

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

}  // namespace isotick::core::detail
