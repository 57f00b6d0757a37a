#pragma once
// Collects a state's canonical bytes and cuts them into hashed parts: what stands behind
// HashArchive, without cereal.

#include <isotick/core/hash.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
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

}  // namespace isotick::core
