#pragma once
// Numbers for names that come again and again, mostly at the same addresses.

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <map>
#include <string>
#include <utility>

namespace isotick::core {

/// Gives each different pair of a name and a size a number, counted from 0.
class NameIndex {
  public:
    struct Found {
        std::size_t number;
        bool added;  ///< met for the first time
    };

    /// `name` need not live beyond the call.
    Found find(const char* name, std::uint64_t size) {
        Cached& cached = cache_[slot(name)];
        if (cached.pointer == name && cached.entry->first.first == size &&
            std::strcmp(cached.entry->first.second.c_str(), name) == 0) {
            return {cached.entry->second, false};
        }
        const auto [entry, added] = numbers_.try_emplace({size, name}, numbers_.size());
        cached = {name, &*entry};
        return {entry->second, added};
    }

  private:
    using Numbers = std::map<std::pair<std::uint64_t, std::string>, std::size_t>;
    struct Cached {
        const char* pointer = nullptr;
        const Numbers::value_type* entry = nullptr;
    };

    static constexpr std::size_t kSlots = 1024;

    static std::size_t slot(const char* name) {
        const auto address = reinterpret_cast<std::uintptr_t>(name);
        return ((address >> 4U) ^ (address >> 14U)) % kSlots;
    }

    Numbers numbers_;
    std::array<Cached, kSlots> cache_;
};

}  // namespace isotick::core
