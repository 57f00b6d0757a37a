#pragma once
// A value that several processes write and read.

#include "posix.hpp"

#include <new>
#include <utility>

namespace isotick::harness {

/// Of a plain type whose members are atomic. Movable; gone with the last process that has it.
template <class T>
class Shared {
  public:
    Shared() = default;
    ~Shared() {
        if (value_ != nullptr) {
            unmap(value_, sizeof(T));
        }
    }
    Shared(Shared&& other) noexcept : value_(std::exchange(other.value_, nullptr)) {}
    Shared& operator=(Shared&& other) noexcept {
        std::swap(value_, other.value_);
        return *this;
    }

    /// Makes one: with the copies of this process, and with those that get hold of `file`, if it is
    /// one.
    [[nodiscard]] static Shared make(int file = -1) {
        Shared made = held_in(file);
        if (made.value_ != nullptr) {
            new (made.value_) T();
        }
        return made;
    }
    /// The one that another process has made with this file.
    [[nodiscard]] static Shared held_in(int file) {
        Shared held;
        held.value_ = static_cast<T*>(map_shared(file, sizeof(T)));
        return held;
    }

    /// Null where the system had no memory to share.
    [[nodiscard]] T* get() const { return value_; }

  private:
    T* value_ = nullptr;
};

}  // namespace isotick::harness
