#pragma once
// Files of one test, and verbs to damage them.

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace isotick::replay {

/// A test with an empty directory of its own, removed afterwards.
class Scratch : public testing::Test {
  protected:
    Scratch();
    ~Scratch() override;

    [[nodiscard]] std::string path(const std::string& name = "s.isotick") const {
        return (directory_ / name).string();
    }

    /// Names of what is in the directory, sorted.
    [[nodiscard]] std::vector<std::string> names() const;

  private:
    std::filesystem::path directory_;
};

std::vector<std::byte> read_bytes(const std::filesystem::path& path);
void write_bytes(const std::filesystem::path& path, const std::vector<std::byte>& bytes);

/// A recording's bytes, to be damaged.
class Corruption {
  public:
    explicit Corruption(std::vector<std::byte> bytes) : bytes_(std::move(bytes)) {}

    Corruption& set_byte(std::size_t at, std::uint8_t value);
    Corruption& flip_byte(std::size_t at);
    Corruption& truncate(std::size_t size);
    Corruption& erase(std::size_t at, std::size_t count);
    Corruption& insert(std::size_t at, const std::vector<std::byte>& bytes);
    /// Makes the checksum of the head right again.
    Corruption& fix_head_checksum();
    /// Makes the checksum of the header of the chunk at `at` right again.
    Corruption& fix_header_checksum(std::size_t at);
    /// Makes both checksums of the chunk at `at` right again.
    Corruption& fix_chunk_checksums(std::size_t at);

    /// Offsets of all chunks, told by their sync markers and lengths from the head on.
    [[nodiscard]] std::vector<std::size_t> chunks() const;

    [[nodiscard]] const std::vector<std::byte>& bytes() const { return bytes_; }
    void save(const std::string& path) const { write_bytes(path, bytes_); }

  private:
    [[nodiscard]] std::uint32_t u32_at(std::size_t at) const;
    void put_u32(std::size_t at, std::uint32_t value);

    std::vector<std::byte> bytes_;
};

}  // namespace isotick::replay
