#include "tick_batch.hpp"

namespace isotick::replay {

void Lane::grow(std::size_t count) {
    const std::size_t capacity = 2 * (capacity_ + count) + 4096;
    auto data = std::make_unique_for_overwrite<std::byte[]>(capacity);
    if (size_ != 0) {
        std::memcpy(data.get(), data_.get(), size_);
    }
    data_ = std::move(data);
    capacity_ = capacity;
}

}  // namespace isotick::replay
