// Whatever a file says, reading it takes memory and work in proportion to its size.

#include "counted_allocations.hpp"
#include "format/chunk_header.hpp"
#include "format/input_columns.hpp"
#include "format/zstd_block.hpp"
#include "hand_made.hpp"
#include "scratch.hpp"

#include <isotick/replay/compare.hpp>
#include <isotick/replay/detail/survey.hpp>
#include <isotick/replay/repair.hpp>

#include <fstream>
#include <functional>
#include <ostream>

#include <gtest/gtest.h>

namespace isotick::replay {
namespace {

constexpr std::uint64_t kMostMemory = std::uint64_t{64} << 20;
constexpr std::uint32_t kLimitTicks = 4096;

RecordingHead fast_head() {
    RecordingHead head = made_head(4096);
    head.session.rate = core::TickRate::make(kLimitTicks, 1).value();
    head.hash_every = UINT32_MAX;
    return head;
}

Bytes zstd(const Bytes& raw) {
    Compressor compressor;
    const auto compressed = compressor.compress(raw);
    return {compressed.begin(), compressed.end()};
}

// `columns` inputs of `size` bytes that are others at each of `ticks` ticks; absent and empty by
// turns for 0.
InputChanges restless_inputs(std::uint32_t columns, std::uint32_t size, std::uint32_t ticks) {
    InputChanges all;
    for (std::uint32_t tick = 0; tick < ticks; ++tick) {
        for (std::uint32_t column = 0; column < columns; ++column) {
            const std::uint32_t code = size == 0 ? 1 - tick % 2 : size + 1;
            all.changes.push_back(
                {tick, column, code, static_cast<std::uint32_t>(all.bytes.size())});
            all.bytes.resize(all.bytes.size() + size, static_cast<std::uint8_t>(tick));
        }
    }
    return all;
}

MadeChunk restless_chunk(std::uint32_t columns, std::uint32_t size,
                         std::uint32_t ticks = kLimitTicks) {
    Bytes block;
    encode_columns(restless_inputs(columns, size, ticks), kLimitTicks, 4097, PlaneChoice::dense,
                   block);
    MadeChunk chunk;
    chunk.ticks = kLimitTicks;
    chunk.inputs = zstd(block);
    chunk.is_zstd = true;
    return chunk;
}

// As much as so small a chunk may decode to.
MadeChunk chunk_at_the_limit() {
    for (std::uint32_t ticks = kLimitTicks;; ticks -= 8) {
        MadeChunk chunk = restless_chunk(1, 0, ticks);
        if (kChangeSize * ticks <= most_decoded(chunk.inputs.size())) {
            return chunk;
        }
    }
}

MadeChunk idle_chunk() {
    MadeChunk chunk;
    chunk.ticks = kLimitTicks;
    put_varint(chunk.inputs, 4097);
    return chunk;
}

// Headers that all claim the rest of the file.
std::vector<std::byte> overlapping_claims() {
    Bytes file = encode_head(fast_head(), {}).value();
    constexpr std::size_t kSize = 400'000;
    while (file.size() + kChunkFrameSize < kSize) {
        ChunkHeader header{.type = kTickChunk, .ticks_less_one = kLimitTicks - 1};
        header.payload_size = static_cast<std::uint32_t>(kSize - file.size() - kChunkFrameSize);
        put_bytes(file, encode_chunk_header(header));
    }
    file.resize(kSize);
    return file;
}

// Chunks that are damaged and of no length, so that there are as many damaged places as possible.
std::vector<std::byte> many_damages() {
    Bytes file = encode_head(fast_head(), {}).value();
    for (std::uint64_t n = 0; file.size() < 2'000'000; ++n) {
        put_bytes(file, encode_chunk_header({.type = kTickChunk, .first = n * kLimitTicks}));
        put(file, std::uint32_t{0});
    }
    return file;
}

// Chunks of which every second is missing.
std::vector<std::byte> many_gaps() {
    const std::vector<std::byte> whole = made_recording(fast_head(), {idle_chunk()});
    const auto chunks = Corruption(whole).chunks();
    const std::span all(whole);
    const auto payload = all.subspan(chunks[0], chunks[1] - chunks[0] - kPayloadChecksumSize)
                             .subspan(kChunkHeaderSize);
    Bytes file(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(chunks[0]));
    for (std::uint64_t n = 0; file.size() < 2'000'000; ++n) {
        put_bytes(file, frame_chunk({.type = kTickChunk,
                                     .ticks_less_one = kLimitTicks - 1,
                                     .first = 2 * n * kLimitTicks},
                                    payload));
    }
    return file;
}

struct Hostile {
    const char* name;
    std::function<std::vector<std::byte>()> make;

    friend void PrintTo(const Hostile& hostile, std::ostream* out) { *out << hostile.name; }
};

Hostile of_chunks(const char* name, std::function<MadeChunk()> make, std::size_t count) {
    return {name,
            [=] { return made_recording(fast_head(), std::vector<MadeChunk>(count, make())); }};
}

class HostileRecording : public Scratch, public testing::WithParamInterface<Hostile> {
  protected:
    void SetUp() override {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
        GTEST_SKIP() << "sanitizers take memory of their own";
#endif
        const auto bytes = GetParam().make();
        size_ = bytes.size();
        write_bytes(path(), bytes);
    }

    // What `look` takes at most, of as many files as that reads.
    void expect_little_memory(const std::function<void()>& look, std::uint64_t files = 1) const {
        watch_memory_here();
        look();
        EXPECT_LE(most_memory_here(), kMostMemory + 4 * files * size_);
    }

    std::uint64_t size_ = 0;
};

TEST_P(HostileRecording, TakesLittleMemoryToRead) {
    expect_little_memory([this] {
        auto reader = Reader::open(path());
        for (auto chunk = reader->next(); chunk && *chunk != nullptr; chunk = reader->next()) {
        }
        for (std::uint64_t n = 0; n < reader->chunk_count().value(); ++n) {
            (void)reader->chunk(n);
        }
    });
}

TEST_P(HostileRecording, TakesLittleMemoryToSurvey) {
    expect_little_memory([this] { EXPECT_TRUE(survey(path())); });
}

TEST_P(HostileRecording, TakesLittleMemoryToRepair) {
    expect_little_memory([this] { EXPECT_TRUE(repair(path(), path("out"))); });
}

TEST_P(HostileRecording, TakesLittleMemoryToCompare) {
    expect_little_memory([this] { EXPECT_TRUE(compare(path(), path())); }, 2);
}

TEST_P(HostileRecording, TakesLittleMemoryToReadBehindDamage) {
    expect_little_memory([this] {
        auto chunks = SurvivingChunks::open(path());
        for (auto chunk = chunks->next(); chunk && *chunk != nullptr; chunk = chunks->next()) {
        }
    });
}

#if defined(__linux__)

// Bytes that this process has read from files so far.
std::uint64_t bytes_read() {
    std::ifstream io("/proc/self/io");
    std::string name;
    std::uint64_t count = 0;
    io >> name >> count;
    EXPECT_EQ(name, "rchar:");
    return count;
}

TEST_P(HostileRecording, IsReadAFewTimes) {
    const auto times = [this](const std::function<void()>& look) {
        const std::uint64_t before = bytes_read();
        look();
        return (bytes_read() - before) / size_;
    };
    EXPECT_LE(times([this] { (void)survey(path()); }), 10U);
    EXPECT_LE(times([this] { (void)repair(path(), path("out")); }), 10U);
}

#endif

// What is decoded is counted as FORMAT.md counts it.
TEST_P(HostileRecording, DecodesToLittleForEachOfItsBytes) {
    auto chunks = SurvivingChunks::open(path());
    ASSERT_TRUE(chunks);
    std::uint64_t ticks = 0;
    std::uint64_t decoded = 0;
    for (auto chunk = chunks->next(); chunk && *chunk != nullptr; chunk = chunks->next()) {
        ticks += (*chunk)->ticks();
        for (std::uint32_t i = 0; i < (*chunk)->ticks(); ++i) {
            for (const InputChange& change : (*chunk)->changes(i)) {
                decoded += 16 + change.size();
            }
        }
    }
    EXPECT_LE(ticks, 66 * size_);
    EXPECT_LE(decoded, 265 * size_);
}

INSTANTIATE_TEST_SUITE_P(
    Files, HostileRecording,
    testing::Values(of_chunks(
                        "RunsOfNothing", [] { return restless_chunk(1000, 0); }, 1),
                    of_chunks(
                        "RunsOfAByte", [] { return restless_chunk(900, 1); }, 4),
                    of_chunks(
                        "LargeInputs", [] { return restless_chunk(1, 4000); }, 4),
                    of_chunks("SmallChunksAtTheLimit", chunk_at_the_limit, 2000),
                    of_chunks(
                        "ChunksOfTicksAlone", [] { return idle_chunk(); }, 2000),
                    Hostile{"OverlappingClaims", overlapping_claims},
                    Hostile{"ManyDamages", many_damages}, Hostile{"ManyGaps", many_gaps}),
    testing::PrintToStringParamName());

}  // namespace
}  // namespace isotick::replay
