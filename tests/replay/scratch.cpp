#include "scratch.hpp"

#include <isotick/core/hash.hpp>

#include <algorithm>
#include <fstream>
#include <span>

namespace isotick::replay {
namespace {

constexpr std::size_t kHeadLengthAt = 12;
constexpr std::size_t kHeadChecksumAt = 16;
constexpr std::size_t kHeadPrefix = 20;
constexpr std::size_t kHeader = 24;
constexpr std::size_t kLengthAt = 8;
constexpr std::size_t kHeaderChecksumAt = 20;

std::uint32_t low_half(std::uint64_t hash) {
    return static_cast<std::uint32_t>(hash);
}

}  // namespace

Scratch::Scratch() {
    const auto* test = testing::UnitTest::GetInstance()->current_test_info();
    std::string name = std::string("isotick_") + test->test_suite_name() + "." + test->name();
    std::replace(name.begin(), name.end(), '/', '_');
    // Other test programs may run at the same time: the first free number is this one's.
    const std::filesystem::path parent = testing::TempDir();
    std::filesystem::create_directories(parent);
    for (int number = 0; directory_.empty(); ++number) {
        const auto candidate = parent / (name + "_" + std::to_string(number));
        if (std::filesystem::create_directory(candidate)) {
            directory_ = candidate;
        }
    }
}

Scratch::~Scratch() {
    std::error_code ignored;
    std::filesystem::remove_all(directory_, ignored);
}

std::vector<std::string> Scratch::names() const {
    std::vector<std::string> found;
    for (const auto& entry : std::filesystem::directory_iterator(directory_)) {
        found.push_back(entry.path().filename().string());
    }
    std::sort(found.begin(), found.end());
    return found;
}

std::vector<std::byte> read_bytes(const std::filesystem::path& path) {
    std::ifstream in(path, std::ios::binary);
    std::vector<std::byte> bytes(static_cast<std::size_t>(std::filesystem::file_size(path)));
    in.read(reinterpret_cast<char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
    return bytes;
}

void write_bytes(const std::filesystem::path& path, const std::vector<std::byte>& bytes) {
    std::filesystem::remove(path);  // some file systems make truncating wait for the disk
    std::ofstream out(path, std::ios::binary);
    out.write(reinterpret_cast<const char*>(bytes.data()),
              static_cast<std::streamsize>(bytes.size()));
}

Corruption& Corruption::set_byte(std::size_t at, std::uint8_t value) {
    bytes_.at(at) = std::byte{value};
    return *this;
}

Corruption& Corruption::flip_byte(std::size_t at) {
    bytes_.at(at) ^= std::byte{0xff};
    return *this;
}

Corruption& Corruption::truncate(std::size_t size) {
    bytes_.resize(std::min(bytes_.size(), size));
    return *this;
}

Corruption& Corruption::erase(std::size_t at, std::size_t count) {
    const auto begin = bytes_.begin() + static_cast<std::ptrdiff_t>(at);
    bytes_.erase(begin, begin + static_cast<std::ptrdiff_t>(count));
    return *this;
}

Corruption& Corruption::insert(std::size_t at, const std::vector<std::byte>& bytes) {
    bytes_.insert(bytes_.begin() + static_cast<std::ptrdiff_t>(at), bytes.begin(), bytes.end());
    return *this;
}

Corruption& Corruption::fix_head_checksum() {
    const std::span all(bytes_);
    core::StreamHasher hasher;
    hasher.update(all.first(kHeadChecksumAt));
    hasher.update(all.subspan(kHeadPrefix, u32_at(kHeadLengthAt)));
    put_u32(kHeadChecksumAt, low_half(hasher.value()));
    return *this;
}

Corruption& Corruption::fix_header_checksum(std::size_t at) {
    const std::span all(bytes_);
    put_u32(at + kHeaderChecksumAt, low_half(core::hash_bytes(all.subspan(at, kHeaderChecksumAt))));
    return *this;
}

Corruption& Corruption::fix_chunk_checksums(std::size_t at) {
    fix_header_checksum(at);
    const std::span all(bytes_);
    const std::size_t length = u32_at(at + kLengthAt);
    put_u32(at + kHeader + length, low_half(core::hash_bytes(all.subspan(at + kHeader, length))));
    return *this;
}

std::vector<std::size_t> Corruption::chunks() const {
    std::vector<std::size_t> offsets;
    std::size_t at = kHeadPrefix + u32_at(kHeadLengthAt);
    while (at < bytes_.size()) {
        offsets.push_back(at);
        at += kHeader + u32_at(at + kLengthAt) + 4;
    }
    return offsets;
}

std::uint32_t Corruption::u32_at(std::size_t at) const {
    std::uint32_t value = 0;
    for (std::size_t i = 4; i-- > 0;) {
        value = value << 8 | std::to_integer<std::uint32_t>(bytes_.at(at + i));
    }
    return value;
}

void Corruption::put_u32(std::size_t at, std::uint32_t value) {
    for (std::size_t i = 0; i < 4; ++i, value >>= 8) {
        bytes_.at(at + i) = static_cast<std::byte>(value);
    }
}

}  // namespace isotick::replay
