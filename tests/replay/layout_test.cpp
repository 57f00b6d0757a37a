// The explanation of a file byte by byte: it leaves no byte out, whatever has happened to them.

#include "repaired.hpp"

#include <isotick/replay/layout.hpp>

#include <gtest/gtest.h>

namespace isotick::replay {
namespace {

using Types = std::vector<std::string>;

class Layout : public RepairTest {
  protected:
    std::vector<LayoutBlock> layout_of(const Corruption& corruption) {
        corruption.save(path("damaged"));
        return layout_of(path("damaged"));
    }
    static std::vector<LayoutBlock> layout_of(const std::filesystem::path& path) {
        std::vector<LayoutBlock> blocks;
        auto reader = LayoutReader::open(path);
        EXPECT_TRUE(reader) << describe(reader.error());
        while (reader) {
            auto block = reader->next();
            EXPECT_TRUE(block) << describe(block.error());
            if (!block || !*block) {
                break;
            }
            blocks.push_back(**block);
        }
        return blocks;
    }

    // The first byte that is not explained exactly once, or the file's size.
    static std::uint64_t explained_up_to(const std::vector<LayoutBlock>& blocks) {
        std::uint64_t at = 0;
        for (const LayoutBlock& block : blocks) {
            if (block.offset != at) {
                return at;
            }
            for (const LayoutField& field : block.fields) {
                if (field.offset != at) {
                    return at;
                }
                at += field.bytes;
            }
            at = block.fields.empty() ? at + block.bytes : at;
            if (at != block.offset + block.bytes) {
                return at;
            }
        }
        return at;
    }

    static Types types(const std::vector<LayoutBlock>& blocks) {
        Types types;
        for (const LayoutBlock& block : blocks) {
            types.push_back(block.type);
        }
        return types;
    }

    static std::string value_of(const LayoutBlock& block, const std::string& name) {
        for (const LayoutField& field : block.fields) {
            if (field.name == name) {
                return field.value;
            }
        }
        return "no such field";
    }

    const Types whole_types_{"head",       "tick chunk",  "tick chunk", "tick chunk",
                             "tick chunk", "final chunk", "index",      "end mark"};
};

TEST_F(Layout, ExplainsEveryByteOfAnIntactRecording) {
    const auto blocks = layout_of(whole());
    EXPECT_EQ(types(blocks), whole_types_);
    EXPECT_EQ(explained_up_to(blocks), bytes().size());
    for (const LayoutBlock& block : blocks) {
        EXPECT_EQ(block.damage, "");
    }
}

TEST_F(Layout, SaysWhatFieldsMean) {
    const auto blocks = layout_of(whole());
    EXPECT_EQ(value_of(blocks[0], "simulation"), "fake");
    EXPECT_EQ(value_of(blocks[0], "players"), "2");
    EXPECT_EQ(value_of(blocks[0], "initial state hash"), to_string(session_.state_after(0)));
    EXPECT_EQ(value_of(blocks[2], "first"), "16: its first tick");
    EXPECT_EQ(value_of(blocks[2], "state hashes"), "4 state hashes");
    EXPECT_EQ(value_of(blocks[2], "part hashes"), "2 part hashes after 1 tick");
    EXPECT_EQ(value_of(blocks[5], "state hash"),
              to_string(session_.state_after(57)) + " after the last tick");
    EXPECT_EQ(value_of(blocks[6], "chunks"), "4");
    EXPECT_EQ(value_of(blocks[7], "first"),
              std::to_string(chunk_at(5)) + ": where the index begins");
}

TEST_F(Layout, FlipOfEveryByteIsFoundInItsBlock) {
    for (std::size_t at = 0; at < bytes().size(); ++at) {
        const auto blocks = layout_of(whole().flip_byte(at));
        ASSERT_EQ(explained_up_to(blocks), bytes().size()) << at;
        for (const LayoutBlock& block : blocks) {
            const bool is_here = at >= block.offset && at < block.offset + block.bytes;
            ASSERT_EQ(!block.damage.empty(), is_here) << at << " " << block.offset;
            EXPECT_EQ(block.harmless, is_here && at >= chunk_at(5)) << at;
        }
    }
}

TEST_F(Layout, TruncationAtEveryByteIsExplained) {
    EXPECT_FALSE(LayoutReader::open(path("nothing")));
    for (std::size_t size = 1; size < bytes().size(); ++size) {
        ASSERT_EQ(explained_up_to(layout_of(whole().truncate(size))), size);
    }
}

TEST_F(Layout, ForeignBytesAreABlockOfTheirOwn) {
    const auto blocks = layout_of(whole().insert(chunk_at(2), std::vector<std::byte>(100)));
    ASSERT_EQ(blocks.size(), 9U);
    EXPECT_EQ(blocks[3].type, "unknown");
    EXPECT_EQ(blocks[3].bytes, 100U);
    EXPECT_NE(blocks[3].damage, "");
    EXPECT_EQ(blocks[4].damage, "");
}

TEST_F(Layout, AMissingChunkIsABlockWithoutBytes) {
    const auto blocks = layout_of(whole().erase(chunk_at(1), chunk(1).size()));
    EXPECT_EQ(blocks[2].bytes, 0U);
    EXPECT_EQ(blocks[2].damage, "a chunk starts at tick 32 instead of 16");
}

TEST_F(Layout, AFileWithoutAHeadIsStillFramed) {
    std::vector<std::byte> bytes = this->bytes();
    bytes.erase(bytes.begin(), bytes.begin() + std::ptrdiff_t(head_size() - 10));
    const auto blocks = layout_of(Corruption(bytes));
    EXPECT_EQ(types(blocks), whole_types_);
    EXPECT_EQ(explained_up_to(blocks), bytes.size());
    EXPECT_NE(blocks[0].damage, "");
    EXPECT_EQ(value_of(blocks[1], "payload checksum").substr(10), "right");
}

TEST_F(Layout, AFileThatIsNoRecordingIsExplainedToo) {
    const auto blocks = layout_of(Corruption(std::vector<std::byte>(1000)));
    ASSERT_EQ(blocks.size(), 1U);
    EXPECT_EQ(blocks[0].damage, "not an isotick recording");
    EXPECT_EQ(explained_up_to(blocks), 1000U);
}

TEST_F(Layout, ChunksOfNewerVersionsAreNamed) {
    for (const int type : {0x7f, 0x90}) {
        Corruption newer = whole();
        newer.insert(chunk_at(2), chunk(5)).set_byte(chunk_at(2) + 4, std::uint8_t(type));
        newer.fix_chunk_checksums(chunk_at(2));
        const auto blocks = layout_of(newer);
        EXPECT_EQ(blocks[3].type, "unknown chunk");
        EXPECT_EQ(blocks[3].damage.empty(), type == 0x90);
        EXPECT_EQ(blocks[4].damage, "");
        EXPECT_EQ(explained_up_to(blocks), newer.bytes().size());
    }
}

TEST_F(Layout, TheMarkOfAPartialRecordingIsExplained) {
    (void)repaired(whole().flip_byte(chunk_at(0) + 30), true);
    const auto blocks = layout_of(path("out.16"));
    EXPECT_EQ(blocks[1].type, "partial mark");
    EXPECT_EQ(blocks[1].summary, "the recording begins with tick 16");
    EXPECT_EQ(blocks[2].type, "tick chunk");
    EXPECT_EQ(explained_up_to(blocks), std::filesystem::file_size(path("out.16")));
}

TEST_F(Layout, HostileHeadsAndPayloadsNeverCrash) {
    for (std::size_t at = 12; at < bytes().size(); ++at) {
        for (const int value : {0x00, 0x7f, 0xff}) {
            Corruption hostile = whole();
            hostile.set_byte(at, std::uint8_t(value));
            if (at >= 20 && at < head_size()) {
                hostile.fix_head_checksum();
            } else if (at >= head_size()) {
                const std::size_t n = chunk_with(at);
                const bool is_length = at >= chunk_at(n) + 8 && at < chunk_at(n) + 12;
                is_length ? hostile.fix_header_checksum(chunk_at(n))
                          : hostile.fix_chunk_checksums(chunk_at(n));
            }
            ASSERT_EQ(explained_up_to(layout_of(hostile)), bytes().size()) << at;
        }
    }
}

}  // namespace
}  // namespace isotick::replay
