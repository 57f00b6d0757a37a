// The format is what FORMAT.md and the golden files say, byte for byte.

#include "golden_sessions.hpp"
#include "scratch.hpp"

#include <fstream>
#include <sstream>
#include <string>

#include <gtest/gtest.h>

namespace isotick::replay {
namespace {

using Flags = std::vector<int>;

class Format : public Scratch {
  protected:
    // The first payload byte of each tick chunk.
    static Flags tick_chunk_flags(const std::string& name) {
        const Corruption file(read_bytes(golden(name)));
        Flags flags;
        for (const std::size_t chunk : file.chunks()) {
            if (file.bytes()[chunk + 4] == std::byte{1}) {
                flags.push_back(std::to_integer<int>(file.bytes()[chunk + 24]));
            }
        }
        return flags;
    }

    std::vector<std::byte> recorded(const FakeSession& session) {
        EXPECT_TRUE(session.record(path()));
        return read_bytes(path());
    }

    static std::string golden(const std::string& name) {
        return std::string(ISOTICK_GOLDEN_DIRECTORY) + "/" + name;
    }
};

// The bytes between each "```hex" and "```"; a line is hexadecimal up to its semicolon.
std::vector<std::vector<std::byte>> examples_in(const std::filesystem::path& document) {
    std::ifstream in(document);
    std::vector<std::vector<std::byte>> examples;
    bool inside = false;
    for (std::string line; std::getline(in, line);) {
        if (line.rfind("```", 0) == 0) {
            inside = line == "```hex";
            examples.resize(examples.size() + (inside ? 1 : 0));
        } else if (inside) {
            std::istringstream words(line.substr(0, line.find(';')));
            for (std::string word; words >> word;) {
                examples.back().push_back(static_cast<std::byte>(std::stoul(word, nullptr, 16)));
            }
        }
    }
    return examples;
}

TEST_F(Format, ExampleInTheDocumentIsWhatTheWriterWrites) {
    const auto documented = examples_in(ISOTICK_FORMAT_DOCUMENT);
    ASSERT_EQ(documented.size(), 2U);
    EXPECT_EQ(documented[0], recorded(example_session()));
}

TEST_F(Format, ExampleOfDtsInTheDocumentIsTheTickChunkThatTheWriterWrites) {
    const auto documented = examples_in(ISOTICK_FORMAT_DOCUMENT);
    ASSERT_EQ(documented.size(), 2U);
    const auto bytes = recorded(example_dt_session());
    const auto chunks = Corruption(bytes).chunks();
    EXPECT_EQ(documented[1], std::vector(bytes.begin() + static_cast<std::ptrdiff_t>(chunks[0]),
                                         bytes.begin() + static_cast<std::ptrdiff_t>(chunks[1])));
}

TEST_F(Format, GoldenFilesOfVersion1AreStillWritten) {
    EXPECT_EQ(recorded(golden_session()), read_bytes(golden("version-1.isotick")));
    std::filesystem::remove(path());
    EXPECT_EQ(recorded(golden_dt_session()), read_bytes(golden("version-1-dt.isotick")));
}

TEST_F(Format, GoldenFilesThatAreStillWrittenAreFreeOfZstd) {
    EXPECT_EQ(tick_chunk_flags("version-1.isotick"), (Flags{0, 0, 0}));
    EXPECT_EQ(tick_chunk_flags("version-1-dt.isotick"), (Flags{2, 2, 2}));
}

TEST_F(Format, GoldenFilesOfVersion1AreRead) {
    const std::pair<const char*, FakeSession> files[] = {
        {"version-1.isotick", golden_session()},
        {"version-1-zstd.isotick", golden_zstd_session()},
        {"version-1-dt.isotick", golden_dt_session()},
        {"version-1-dt-zstd.isotick", golden_dt_zstd_session()}};
    for (const auto& [name, session] : files) {
        const ReadThrough read = read_through(golden(name), session);
        EXPECT_EQ(read.mismatch, "") << name;
        EXPECT_EQ(read.ticks, session.ticks) << name;
        EXPECT_TRUE(read.has_tail) << name;
    }
}

TEST_F(Format, GoldenZstdFilesHoldZstd) {
    EXPECT_EQ(tick_chunk_flags("version-1-zstd.isotick"), (Flags{1, 1}));
    EXPECT_EQ(tick_chunk_flags("version-1-dt-zstd.isotick"), (Flags{6, 6}));
}

}  // namespace
}  // namespace isotick::replay
