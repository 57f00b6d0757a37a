// One recording, all readers: what one says of it the others say too.

#include "../../support/scratch_folder.hpp"
#include "../support/mended_recording.hpp"
#include "../support/read_recording.hpp"

#include <isotick/replay/compare.hpp>
#include <isotick/replay/detail/survey.hpp>
#include <isotick/replay/reader.hpp>
#include <isotick/replay/repair.hpp>

#include <algorithm>

namespace isotick::fuzz {
namespace {

using core::Result;
using replay::Damage;
using replay::Reader;
using replay::RepairReport;
using replay::Survey;
using replay::TickRange;
using Path = std::filesystem::path;

void check_survey(const Reader& reader, const ReadThrough& read, const Survey& survey) {
    std::uint64_t dts = 0;
    std::uint64_t hashes = 0;
    for (const ChunkContent& chunk : read.chunks) {
        dts += chunk.own_dts;
        hashes += chunk.stored_hashes;
    }
    const auto first_damage =
        survey.damages.empty() ? std::optional<Damage>() : survey.damages.front();
    require(survey.ticks == read.ticks() && survey.chunks == read.chunks.size(),
            "survey counts the ticks that are read");
    require(survey.own_dts == dts, "survey counts the dts that are read");
    require(survey.stored_hashes == hashes, "survey counts the hashes that are read");
    require(survey.finished == reader.saw_last(), "both see the end, or neither");
    require(first_damage == reader.damage(), "both see the same damage first");
    require(survey.tail_damage == reader.tail_damage(), "both see the same tail");
    require(survey.has_tail == reader.has_tail(), "both see a tail, or neither");
    require(read.chunks.empty() || (survey.session_digest == read.chunks.back().session_digest &&
                                    survey.hash_digest == read.chunks.back().hash_digest),
            "survey gives the digests that are read");
    require(read.chunks.empty() ||
                (!survey.surviving.empty() && survey.surviving.front().first == core::Tick{} &&
                 survey.surviving.front().end.value >= read.chunks.back().end),
            "what is read survives");
}

// An index that is intact may still point elsewhere, and behind damage there may be anything.
void check_random_access(Reader& reader, const ReadThrough& read) {
    const auto count = reader.chunk_count();
    if (reader.has_tail() || (!count && reader.damage())) {
        return;
    }
    require(count && *count >= read.chunks.size(), "chunks that are read can be counted");
    for (std::size_t n = 0; n < read.chunks.size(); ++n) {
        const auto chunk = reader.chunk(n);
        require(chunk && content_of(**chunk) == read.chunks[n], "each chunk can be read alone");
    }
}

void check_surviving(const Path& path, const ReadThrough& read, const Survey& survey) {
    auto surviving = replay::SurvivingChunks::open(path);
    require(surviving.has_value(), "what can be surveyed can be looked at");
    std::size_t n = 0;
    std::uint64_t end = 0;
    for (;; ++n) {
        const auto chunk = surviving->next();
        require(chunk.has_value(), "what can be surveyed can be looked at to its end");
        if (*chunk == nullptr) {
            break;
        }
        const ChunkContent content = content_of(**chunk);
        require(n >= read.chunks.size() || content == read.chunks[n], "what is read comes first");
        require(content.first >= end, "chunks ascend");
        end = content.end;
        const auto holds = [&](const TickRange& range) {
            return range.first.value <= content.first && content.end <= range.end.value;
        };
        require(std::ranges::any_of(survey.surviving, holds), "survey counts what survives");
    }
    require(n >= read.chunks.size(), "what is read survives");
    require(!survey.damages.empty() || n == read.chunks.size(), "without damage that is all");
}

void check_agreement(const Path& a, const Path& b) {
    const auto compared = replay::compare(a, b);
    require(compared && !compared->session && !compared->hashes && compared->incomparable.empty(),
            "what was saved is what was recorded");
}

// Of a recording that repair wrote: it is whole, and repairing it changes no byte, unless it ends
// with a chunk that is not full, behind which repair puts the end that must have been there.
void check_saved(const Path& path, const RepairReport& report, const ReadThrough& source,
                 const Path& again) {
    auto reader = Reader::open(path);
    require(reader.has_value(), "a repaired recording can be read");
    const ReadThrough read = read_through(*reader);
    require(!read.error && !reader->damage() && !reader->tail_damage(), "it has no damage");
    require(read.ticks() == report.saved_ticks, "it has the ticks that were reported");
    require(read.ticks() >= source.ticks(), "all that is read is saved");
    require(reader->saw_last() == report.finished && reader->has_tail() == report.finished,
            "it has the end that was reported");
    require(reader->file_size() == report.saved_bytes, "it is as long as was reported");
    const auto repaired = replay::repair(path, again, {.overwrite = true});
    require(repaired && repaired->lost.empty() && repaired->skipped.empty(),
            "of what is whole nothing is lost");
    const std::uint32_t full = replay::chunk_ticks(reader->head().session.rate);
    const bool is_cut_off = !report.finished && report.saved_ticks % full != 0;
    require(is_cut_off || read_file(again) == read_file(path),
            "what is whole is copied byte by byte");
}

void check_repair(const tests::ScratchFolder& folder, const Path& path, const ReadThrough& read,
                  const Result<Survey>& survey) {
    const Path output = folder.file("repaired.isotick");
    const auto report = replay::repair(path, output);
    require(report.has_value() == survey.has_value(), "what can be surveyed can be repaired");
    require(report || !std::filesystem::exists(output), "a failure leaves no file");
    if (!report) {
        return;
    }
    check_saved(output, *report, read, folder.file("again.isotick"));
    check_agreement(path, output);
    for (const TickRange& left : report->not_saved) {
        const auto holds = [&](const TickRange& range) {
            return range.first <= left.first && left.end <= range.end;
        };
        require(std::ranges::any_of(survey->surviving, holds), "what is not saved survives");
    }
    std::filesystem::remove(output);
}

// Of a file without a readable head.
void check_refusal(const tests::ScratchFolder& folder, const Path& path, const core::Error& error) {
    const auto surviving = replay::SurvivingChunks::open(path);
    require(!surviving && surviving.error().code == error.code, "all refuse it alike");
    check_repair(folder, path, {}, tl::unexpected(error));
}

}  // namespace

void run(Input input) {
    static const tests::ScratchFolder folder;
    const Path path = folder.file("s.isotick");
    write_file(path, mended_recording(input));
    auto reader = Reader::open(path);
    if (reader && !is_small(reader->head())) {
        return;
    }
    const auto survey = replay::survey(path);
    if (!reader) {
        require(!survey && survey.error().code == reader.error().code, "all refuse it alike");
        check_refusal(folder, path, reader.error());
        return;
    }
    const ReadThrough read = read_through(*reader);
    require(!read.error || !survey, "what stops one stops the other");
    if (survey) {
        check_survey(*reader, read, *survey);
        check_surviving(path, read, *survey);
        check_random_access(*reader, read);
    }
    check_repair(folder, path, read, survey);
}

}  // namespace isotick::fuzz
