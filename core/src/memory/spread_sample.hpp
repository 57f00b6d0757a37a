#pragma once
// A few out of many, evenly spread, without knowing how many will come.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace isotick::core {

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

}  // namespace isotick::core
