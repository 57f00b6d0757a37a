#pragma once
// What a visit shows of the objects of one type.

#include "coverage.hpp"
#include "spread_sample.hpp"

#include <isotick/core/detail/memory_map.hpp>

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace isotick::core {

/// Sums up the objects of a type. Objects that leave the same bytes unseen form a group, so that
/// samples of a range come only from objects in which it really is unseen.
class TypeSurvey {
  public:
    TypeSurvey(std::string name, std::uint64_t size, MemoryMapOptions options)
        : name_(std::move(name)), size_(size), options_(options), addresses_(options.objects) {}

    [[nodiscard]] std::uint64_t size() const { return size_; }

    /// An object at `address`, of which nothing sees `unseen`.
    void add(std::byte* address, const std::vector<ByteRange>& unseen);

    /// One more value within objects of this type that is not in memory.
    void count_made_up() { ++made_up_; }

    [[nodiscard]] MemoryType finish() const;

  private:
    struct Group {
        std::vector<ByteRange> unseen;
        std::uint64_t objects;
        SpreadSample<std::byte*> addresses;
    };
    // By how much the number of objects in which a byte is unseen changes there.
    using Steps = std::map<std::uint64_t, std::uint64_t>;

    static constexpr std::size_t kMostGroups = 64;

    Group* group_of(const std::vector<ByteRange>& unseen);
    static void count(Steps& steps, const std::vector<ByteRange>& unseen, std::uint64_t objects);
    [[nodiscard]] std::vector<std::byte*> places(ByteRange range) const;

    std::string name_;
    std::uint64_t size_;
    MemoryMapOptions options_;
    std::uint64_t objects_ = 0;
    std::uint64_t made_up_ = 0;
    std::vector<Group> groups_;
    std::size_t last_group_ = 0;
    Steps ungrouped_;
    SpreadSample<std::byte*> addresses_;
};

}  // namespace isotick::core
