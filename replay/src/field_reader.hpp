#pragma once
// Reads a block front to back and notes what stands where.

#include "bytes.hpp"

#include <isotick/core/hash.hpp>
#include <isotick/replay/layout.hpp>

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace isotick::replay {

/// A ByteReader that writes a LayoutField for each thing it reads. Where the bytes end early or
/// break a rule, the rest of them is one last field, and all that follows reads as zero or empty.
class FieldReader {
  public:
    /// `bytes` stand at `offset` of the file; `fields` gets what is found.
    FieldReader(std::span<const std::byte> bytes, std::uint64_t offset,
                std::vector<LayoutField>& fields)
        : bytes_(bytes), in_(bytes), offset_(offset), fields_(fields) {}

    [[nodiscard]] bool ok() const { return in_.ok(); }
    [[nodiscard]] std::size_t remaining() const { return in_.remaining(); }

    template <class T>
    T number(const std::string& name) {
        const T value = in_.get<T>();
        note(name, std::to_string(value));
        return value;
    }
    std::uint64_t varint(const std::string& name) {
        const std::uint64_t value = in_.varint();
        note(name, std::to_string(value));
        return value;
    }
    std::uint64_t hash(const std::string& name) {
        const auto value = in_.get<std::uint64_t>();
        note(name, core::to_hex(value));
        return value;
    }
    std::uint32_t checksum(const std::string& name) {
        const auto value = in_.get<std::uint32_t>();
        note(name, core::to_hex(value).substr(8));
        return value;
    }
    void digest(const std::string& name) {
        const auto low = in_.get<std::uint64_t>();
        const auto high = in_.get<std::uint64_t>();
        note(name, core::to_string(core::Digest{low, high}));
    }
    std::string string(const std::string& name) {
        std::string text = in_.string();
        note(name, text.empty() ? "empty" : text);
        return text;
    }
    /// `size` bytes, which are what `value` says.
    std::span<const std::byte> bytes(const std::string& name, std::uint64_t size,
                                     const std::string& value) {
        const auto taken = in_.take(size);
        note(name, value);
        return taken;
    }

    /// Adds to what the latest field means.
    void explain(const std::string& text) {
        if (ok()) {
            fields_.back().value += text;
        }
    }
    /// Gives up on the rest of the bytes; `name` says what they would be.
    void fail(const std::string& name) {
        in_.fail();
        note(name, {});
    }

  private:
    void note(const std::string& name, std::string value) {
        const bool failed_before = failed_;
        failed_ = !in_.ok();
        const std::size_t end = failed_ ? bytes_.size() : bytes_.size() - in_.remaining();
        if (failed_before || (failed_ && end == at_ && at_ != 0)) {
            return;
        }
        fields_.push_back({offset_ + at_, end - at_, name,
                           failed_ ? "not readable: the bytes end, or break a rule" : value});
        at_ = end;
    }

    std::span<const std::byte> bytes_;
    ByteReader in_;
    std::uint64_t offset_;
    std::vector<LayoutField>& fields_;
    std::size_t at_ = 0;  // what is noted already
    bool failed_ = false;
};

}  // namespace isotick::replay
