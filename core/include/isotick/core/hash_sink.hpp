#pragma once
// Collects a state's canonical bytes and cuts them into hashed parts: what stands behind
// HashArchive, without cereal.

#include <isotick/core/hash.hpp>

#include <array>
#include <cstddef>
#include <cstring>
#include <span>
#include <string>
#include <vector>

namespace isotick::core {

/// Hashes the bytes between begin_part and end_part as one part each; bytes outside of any part
/// form one part of their own named `state`, placed where the first of them came. A state that
/// writes nothing is one empty part `state`. Reused from tick to tick; not thread-safe.
class HashSink {
  public:
    struct Part {
        std::string name;
        PartHash hash;
    };

    /// Starts a new state.
    void begin_state();
    /// Ends the state; afterwards parts() holds its parts.
    void end_state();

    /// Throws std::logic_error if a part of this name was begun before in this state.
    void begin_part(const char* name);
    void end_part();

    /// Adds canonical bytes. `data` may be null when `size` is 0, as that of an empty vector is.
    void put(const void* data, std::size_t size) {
        if (size == 0) {
            return;
        }
        if (size > staging_.size() - used_) {
            put_slowly(data, size);
            return;
        }
        std::memcpy(staging_.data() + used_, data, size);
        used_ += size;
    }

    [[nodiscard]] std::span<const Part> parts() const { return std::span(parts_).first(count_); }

  private:
    // One stream of bytes: short ones never leave the staging buffer.
    struct Stream {
        StreamHasher hasher;
        bool streamed = false;  // the hasher has seen bytes
    };

    static constexpr std::size_t kNoPart = static_cast<std::size_t>(-1);

    void put_slowly(const void* data, std::size_t size);
    void flush();
    void stream(std::span<const std::byte> bytes);
    [[nodiscard]] std::size_t claim_part(const char* name);

    std::array<std::byte, 4096> staging_;
    std::size_t used_ = 0;
    Stream named_;
    Stream rest_;
    Stream* current_ = &rest_;
    std::size_t named_part_ = kNoPart;
    std::size_t rest_part_ = kNoPart;
    std::vector<Part> parts_;
    std::size_t count_ = 0;
};

}  // namespace isotick::core
