#pragma once
// What a memory map finds out about one type.

#include <isotick/core/detail/memory_map.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace isotick::core {

// Which bytes of an object were seen.

/// Bytes from `begin` up to `end`.
struct ByteRange {
    std::uint64_t begin;
    std::uint64_t end;
    friend auto operator<=>(const ByteRange&, const ByteRange&) = default;
};

/// Ranges that may overlap and come in any order. Cheapest where each begins at the end of the one
/// before, as members that are serialized in order do.
class Coverage {
  public:
    void clear() { ranges_.clear(); }

    void add(ByteRange range) {
        if (!ranges_.empty() && range.begin >= ranges_.back().begin &&
            range.begin <= ranges_.back().end) {
            ranges_.back().end = range.end > ranges_.back().end ? range.end : ranges_.back().end;
        } else if (range.begin < range.end) {
            add_slowly(range);
        }
    }

    /// What of the first `size` bytes is not covered, into `gaps`, in order.
    void find_gaps(std::uint64_t size, std::vector<ByteRange>& gaps);

  private:
    void add_slowly(ByteRange range);
    void merge();

    std::vector<ByteRange> ranges_;
    std::size_t merged_ = 0;  // how many there were after the last merge
};

// A few out of many, evenly spread, without knowing how many will come.

/// Keeps the first, the last and others between them. Which is decided by their numbers alone:
/// every n-th is kept, n doubling when there are too many.
template <class T>
class SpreadSample {
  public:
    /// Keeps at most `limit`, but at least 2.
    explicit SpreadSample(std::size_t limit) : limit_(std::max<std::size_t>(limit, 2)) {}

    void add(const T& item) {
        last_ = item;
        if (count_++ % stride_ != 0) {
            return;
        }
        if (kept_.size() == 2 * limit_) {
            for (std::size_t i = 0; i < limit_; ++i) {
                kept_[i] = kept_[2 * i];
            }
            kept_.resize(limit_);
            stride_ *= 2;
        }
        kept_.push_back(item);  // the number 2 * limit * stride is one of the new stride's, too
    }

    [[nodiscard]] std::vector<T> take() const {
        std::vector<T> all = kept_;
        if (count_ != 0 && (count_ - 1) % stride_ != 0) {
            all.push_back(last_);
        }
        return thinned(std::move(all), limit_);
    }

    /// At most `limit`, which is at least 2, of `items`, evenly spread.
    static std::vector<T> thinned(std::vector<T> items, std::size_t limit) {
        if (items.size() > limit) {
            for (std::size_t i = 0; i < limit; ++i) {
                items[i] = items[i * (items.size() - 1) / (limit - 1)];
            }
            items.resize(limit);
        }
        return items;
    }

  private:
    std::size_t limit_;
    std::uint64_t count_ = 0;
    std::uint64_t stride_ = 1;
    std::vector<T> kept_;
    T last_{};
};

// What a visit shows of the objects of one type.

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
