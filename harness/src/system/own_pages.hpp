#pragma once
// Memory that lies on pages of its own.

#include <cstddef>
#include <cstdint>
#include <new>
#include <utility>

#include <sys/mman.h>

namespace isotick::harness {

/// An array on pages that hold nothing else: a handler of faults may write to it while other pages
/// are protected. Pages that are never written to take no memory. Begins as zeros.
template <class T>
class OwnPages {
  public:
    explicit OwnPages(std::size_t capacity)
        : bytes_((capacity == 0 ? 1 : capacity) * sizeof(T)),
          memory_(mmap(nullptr, bytes_, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0)) {
        if (memory_ == MAP_FAILED) {
            throw std::bad_alloc();
        }
    }
    ~OwnPages() {
        if (memory_ != nullptr) {
            munmap(memory_, bytes_);
        }
    }
    OwnPages(OwnPages&& other) noexcept
        : bytes_(other.bytes_), memory_(std::exchange(other.memory_, nullptr)) {}
    OwnPages& operator=(OwnPages&&) = delete;

    [[nodiscard]] T* data() const { return static_cast<T*>(memory_); }
    T& operator[](std::size_t index) const { return data()[index]; }

  private:
    std::size_t bytes_;
    void* memory_;
};

}  // namespace isotick::harness
