// Reads that fail, the first to the last of everything that reads a recording: an error, and never
// another result than without it.

#include "failing_reads.hpp"
#include "fake_session.hpp"
#include "scratch.hpp"

#include <isotick/core/detail/try.hpp>
#include <isotick/replay/compare.hpp>
#include <isotick/replay/detail/survey.hpp>
#include <isotick/replay/repair.hpp>

#include <functional>
#include <sstream>

#include <gtest/gtest.h>

#if defined(__linux__)

namespace isotick::replay {
namespace {

using core::Result;

std::string text_of(const std::optional<Damage>& damage) {
    return damage ? "damage at " + std::to_string(damage->offset) + ": " + damage->reason + "\n"
                  : "";
}

std::string text_of(const TickChunk& chunk) {
    std::ostringstream text;
    for (std::uint32_t i = 0; i < chunk.ticks(); ++i) {
        text << chunk.first_tick().value + i << ' ' << chunk.own_dts();
        const auto state = chunk.state_hash(i);
        text << ' ' << (state ? to_string(*state) : "-");
        for (const core::PartHash part : chunk.part_hashes(i)) {
            text << ' ' << part.value;
        }
        for (const isotick_input& input : chunk.inputs(i)) {
            text << ' ' << input.present << ':';
            text.write(reinterpret_cast<const char*>(input.data), std::streamsize(input.size));
        }
        text << '\n';
    }
    text << (chunk.is_last() ? "last " : "") << to_string(chunk.session_digest())
         << to_string(chunk.hash_digest()) << '\n';
    return text.str();
}

Result<std::string> read_in_order(const std::string& path) {
    ISOTICK_TRY_ASSIGN(auto reader, Reader::open(path));
    std::string text;
    for (;;) {
        ISOTICK_TRY_ASSIGN(const auto chunk, reader.next());
        if (chunk == nullptr) {
            break;
        }
        text += text_of(*chunk);
    }
    return text + text_of(reader.damage()) + text_of(reader.tail_damage()) +
           (reader.saw_last()        ? "finished"
            : reader.is_unfinished() ? "unfinished"
                                     : "") +
           (reader.has_tail() ? "" : ", no tail");
}

Result<std::string> read_from_the_back(const std::string& path) {
    ISOTICK_TRY_ASSIGN(auto reader, Reader::open(path));
    ISOTICK_TRY_ASSIGN(auto n, reader.chunk_count());
    std::string text;
    while (n-- > 0) {
        const auto chunk = reader.chunk(n);
        if (!chunk && chunk.error().code != core::ErrorCode::damaged) {
            return tl::unexpected(chunk.error());
        }
        text += chunk ? text_of(**chunk) : describe(chunk.error());
    }
    return text;
}

Result<std::string> read_survivors(const std::string& path) {
    ISOTICK_TRY_ASSIGN(auto chunks, SurvivingChunks::open(path));
    ISOTICK_TRY_ASSIGN(const auto extent, chunks.extent());
    ISOTICK_TRY(chunks.seek(core::Tick{20}));
    std::string text = std::to_string(extent.end.value) + "\n";
    for (;;) {
        ISOTICK_TRY_ASSIGN(const auto chunk, chunks.next());
        for (const Damage& damage : chunks.damages()) {
            text += text_of(damage);
        }
        if (chunk == nullptr) {
            return text;
        }
        text += text_of(*chunk);
    }
}

Result<std::string> look_at_all(const std::string& path) {
    ISOTICK_TRY_ASSIGN(const auto found, survey(path));
    std::string text = std::to_string(found.ticks) + " " + std::to_string(found.stored_hashes) +
                       " " + to_string(found.session_digest) + to_string(found.hash_digest) +
                       (found.finished ? " finished" : "") + (found.has_tail ? " tail\n" : "\n");
    for (const Damage& damage : found.damages) {
        text += text_of(damage);
    }
    for (const TickRange& range : found.surviving) {
        text += std::to_string(range.first.value) + ".." + std::to_string(range.end.value) + "\n";
    }
    return text + text_of(found.tail_damage);
}

std::string text_of(const ComparedFile& side) {
    return std::to_string(side.ticks) + (side.finished ? " finished\n" : "\n") +
           text_of(side.damage) + text_of(side.tail_damage);
}

std::string beside(const std::string& path, const std::string& name) {
    return std::filesystem::path(path).replace_filename(name).string();
}

Result<std::string> compared_with(const std::string& path, const std::string& other,
                                  CompareDepth depth) {
    ISOTICK_TRY_ASSIGN(const auto found, compare(path, beside(path, other), depth));
    return std::to_string(found.hashes_compared) + " " + (found.searched ? "searched " : "") +
           (found.identical() ? "identical\n" : "\n") +
           (found.hashes ? to_string(found.hashes->a) + to_string(found.hashes->b) : "") +
           (found.session ? std::to_string(found.session->tick.value) + "\n" : "\n") +
           text_of(found.a) + text_of(found.b);
}

Result<std::string> repair_it(const std::string& path) {
    const std::string output = beside(path, "repaired");
    std::filesystem::remove(output);
    const auto repaired = repair(path, output);
    EXPECT_EQ(std::filesystem::exists(output), repaired.has_value());
    if (!repaired) {
        return tl::unexpected(repaired.error());
    }
    std::string text = std::to_string(repaired->saved_ticks) + " " +
                       std::to_string(repaired->lost.size()) +
                       (repaired->finished ? " finished\n" : "\n");
    for (const std::byte byte : read_bytes(output)) {
        text += static_cast<char>(byte);
    }
    return text;
}

class ReadErrors : public Scratch {
  protected:
    void SetUp() override {
        ASSERT_TRUE(small_session().record(path("whole")));
        FakeSession other = small_session();
        other.input = [](std::uint64_t tick, std::uint32_t column) {
            return mixed_input(tick == 40 ? 0 : tick, column);
        };
        ASSERT_TRUE(other.record(path("other")));
        const std::vector<std::byte> bytes = read_bytes(path("whole"));
        const std::vector<std::size_t> chunks = Corruption(bytes).chunks();
        Corruption(bytes).flip_byte(chunks[1] + 30).save(path("damaged"));
        Corruption(bytes).flip_byte(chunks[4] + 30).save(path("without-final"));
        Corruption(bytes).flip_byte(chunks[5] + 30).save(path("damaged-tail"));
        Corruption(bytes).truncate(chunks[5]).save(path("without-tail"));
        Corruption(bytes).truncate(chunks[3]).save(path("unfinished"));
    }

    // Has every read of `work` fail, one after the other, for once and for all that follow.
    static void expect_no_other_result(const std::function<Result<std::string>()>& work) {
        const Result<std::string> right = work();
        ASSERT_TRUE(right) << describe(right.error());
        for (const bool stays : {false, true}) {
            for (std::uint64_t before = 0;; ++before) {
                const FailingRead failing(before, stays);
                const Result<std::string> found = work();
                if (!FailingRead::has_failed()) {
                    ASSERT_GT(before, 3U);  // head, its length, tail, and at least one chunk
                    ASSERT_TRUE(found);
                    break;
                }
                ASSERT_FALSE(found) << "read " << before << " failed; result:\n" << *found;
                EXPECT_EQ(found.error().code, core::ErrorCode::io) << describe(found.error());
            }
        }
    }
};

TEST_F(ReadErrors, AreNeverAnotherResult) {
    using Reading = Result<std::string> (*)(const std::string&);
    for (const char* name :
         {"whole", "damaged", "without-final", "damaged-tail", "without-tail", "unfinished"}) {
        for (const Reading reading :
             {read_in_order, read_from_the_back, read_survivors, look_at_all, repair_it}) {
            SCOPED_TRACE(name);
            expect_no_other_result([&] { return reading(path(name)); });
        }
        for (const std::string other : {"whole", "other", name}) {
            for (const CompareDepth depth : {CompareDepth::everything, CompareDepth::digests}) {
                SCOPED_TRACE(name + (" and " + other));
                expect_no_other_result([&] { return compared_with(path(name), other, depth); });
                expect_no_other_result([&] { return compared_with(path(other), name, depth); });
            }
        }
    }
}

}  // namespace
}  // namespace isotick::replay

#endif
