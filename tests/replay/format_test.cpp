// The format is what FORMAT.md and the golden files say, byte for byte.

#include "golden_sessions.hpp"
#include "scratch.hpp"

#include <fstream>
#include <sstream>
#include <string>

#include <gtest/gtest.h>

namespace isotick::replay {
namespace {

class Format : public Scratch {
  protected:
    std::vector<std::byte> recorded(const FakeSession& session) {
        EXPECT_TRUE(session.record(path()));
        return read_bytes(path());
    }

    static std::filesystem::path golden(const std::string& name) {
        return std::filesystem::path(ISOTICK_GOLDEN_DIRECTORY) / name;
    }
};

// The bytes between "```hex" and "```"; a line is hexadecimal up to its semicolon.
std::vector<std::byte> bytes_of_example(const std::filesystem::path& document) {
    std::ifstream in(document);
    std::vector<std::byte> bytes;
    bool inside = false;
    for (std::string line; std::getline(in, line);) {
        if (line.rfind("```", 0) == 0) {
            inside = line == "```hex";
        } else if (inside) {
            std::istringstream words(line.substr(0, line.find(';')));
            for (std::string word; words >> word;) {
                bytes.push_back(static_cast<std::byte>(std::stoul(word, nullptr, 16)));
            }
        }
    }
    return bytes;
}

TEST_F(Format, ExampleInTheDocumentIsWhatTheWriterWrites) {
    const auto documented = bytes_of_example(ISOTICK_FORMAT_DOCUMENT);
    ASSERT_FALSE(documented.empty());
    EXPECT_EQ(documented, recorded(example_session()));
}

TEST_F(Format, GoldenFileOfVersion1IsStillWritten) {
    EXPECT_EQ(recorded(golden_session()), read_bytes(golden("version-1.isotick")));
}

TEST_F(Format, GoldenFileOfVersion1IsFreeOfZstd) {
    const Corruption file(read_bytes(golden("version-1.isotick")));
    for (const std::size_t chunk : file.chunks()) {
        const bool is_ticks = file.bytes()[chunk + 4] == std::byte{1};
        EXPECT_TRUE(!is_ticks || file.bytes()[chunk + 24] == std::byte{0}) << chunk;
    }
}

TEST_F(Format, GoldenFilesOfVersion1AreRead) {
    const ReadThrough plain = read_through(golden("version-1.isotick"), golden_session());
    EXPECT_EQ(plain.mismatch, "");
    EXPECT_EQ(plain.ticks, 75U);
    EXPECT_TRUE(plain.has_tail);
    const ReadThrough zstd = read_through(golden("version-1-zstd.isotick"), golden_zstd_session());
    EXPECT_EQ(zstd.mismatch, "");
    EXPECT_EQ(zstd.ticks, 100U);
    EXPECT_TRUE(zstd.has_tail);
}

TEST_F(Format, GoldenZstdFileHoldsZstd) {
    const Corruption file(read_bytes(golden("version-1-zstd.isotick")));
    EXPECT_EQ(file.bytes()[file.chunks()[0] + 24], std::byte{1});
}

}  // namespace
}  // namespace isotick::replay
