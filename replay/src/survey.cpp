#include "chunk_file.hpp"
#include "running_digests.hpp"

#include <isotick/replay/survey.hpp>

#include <algorithm>
#include <array>

namespace isotick::replay {
namespace {

using core::Result;

// Goes through what lies behind the first damage.
class Salvage {
  public:
    Salvage(ChunkFile& file, Survey& survey) : file_(file), survey_(survey) {}

    [[nodiscard]] Result<void> run(std::uint64_t first_damage) {
        next_tick_ = survey_.ticks;
        position_ = first_damage;
        if (auto lost = search(); !lost) {
            return lost;
        }
        while (position_ < file_.size()) {
            auto stepped = step();
            if (!stepped) {
                return stepped;
            }
        }
        return {};
    }

  private:
    // Looks at what stands at position_ and moves on.
    Result<void> step() {
        auto found = file_.find(position_);
        if (!found && !searching_) {
            return tl::unexpected(found.error());
        }
        if (!found || !found->header) {
            if (!searching_) {
                survey_.damages.push_back({position_, found->reason});
            }
            return search();
        }
        const auto reason = judge(*found);
        if (!reason) {
            return tl::unexpected(reason.error());
        }
        if (!reason->empty()) {
            survey_.damages.push_back({position_, *reason});
            return search();
        }
        searching_ = false;
        position_ = found->end();
        return {};
    }

    Result<std::string> judge(const FoundChunk& found) {
        if (found.header->type != kTickChunk) {
            return file_.read_payload(found);
        }
        const std::uint64_t first = found.header->first;
        if (first % file_.chunk_ticks() != 0 || first < next_tick_) {
            return std::string("a chunk of ticks is out of place");
        }
        auto reason = file_.read_ticks(found, first, chunk_);
        if (reason && reason->empty()) {
            keep({{first}, {first + chunk_.ticks()}});
        }
        return reason;
    }

    void keep(const TickRange& range) {
        std::vector<TickRange>& ranges = survey_.surviving;
        if (!ranges.empty() && ranges.back().end == range.first) {
            ranges.back().end = range.end;
        } else {
            ranges.push_back(range);
        }
        next_tick_ = range.end.value;
    }

    // Moves position_ to the next sync marker behind it, or to the file's end.
    Result<void> search() {
        searching_ = true;
        std::vector<std::byte> window;
        for (std::uint64_t from = position_ + 1; from < file_.size();) {
            window.resize(
                static_cast<std::size_t>(std::min<std::uint64_t>(kWindow, file_.size() - from)));
            if (auto read = file_.read_raw(from, window); !read) {
                return read;
            }
            const auto marker = std::as_bytes(std::span(kSyncMarker));
            const auto hit =
                std::search(window.begin(), window.end(), marker.begin(), marker.end());
            if (hit != window.end()) {
                position_ = from + static_cast<std::size_t>(hit - window.begin());
                return {};
            }
            // A marker may straddle two windows.
            const bool is_whole = window.size() == kWindow;
            from += window.size() - (is_whole ? kSyncMarker.size() - 1 : std::size_t{0});
        }
        position_ = file_.size();
        return {};
    }

    static constexpr std::size_t kWindow = std::size_t{1} << 16;

    ChunkFile& file_;
    Survey& survey_;
    TickChunk chunk_;
    std::uint64_t position_ = 0;
    std::uint64_t next_tick_ = 0;
    bool searching_ = false;
};

Result<void> read_prefix(Reader& reader, Survey& survey) {
    for (;;) {
        const auto chunk = reader.next();
        if (!chunk) {
            return tl::unexpected(chunk.error());
        }
        if (*chunk == nullptr) {
            return {};
        }
        ++survey.chunks;
        survey.ticks += (*chunk)->ticks();
        for (std::uint32_t i = 0; i < (*chunk)->ticks(); ++i) {
            survey.stored_hashes += (*chunk)->state_hash(i) ? 1U : 0U;
        }
        survey.session_digest = (*chunk)->session_digest();
        survey.hash_digest = (*chunk)->hash_digest();
    }
}

}  // namespace

Result<Survey> survey(const std::filesystem::path& path) {
    auto reader = Reader::open(path);
    if (!reader) {
        return tl::unexpected(reader.error());
    }
    Survey survey;
    survey.head = reader->head();
    survey.bytes = reader->file_size();
    survey.session_digest = SessionDigester(survey.head.session).value();
    HashDigester hashes(survey.head);
    hashes.add(0, reader->initial().state, reader->initial().parts);
    survey.hash_digest = hashes.value();
    if (auto read = read_prefix(*reader, survey); !read) {
        return tl::unexpected(read.error());
    }
    survey.finished = reader->saw_last();
    survey.has_tail = reader->has_tail();
    survey.tail_damage = reader->tail_damage();
    if (survey.ticks != 0) {
        survey.surviving.push_back({{0}, {survey.ticks}});
    }
    if (const auto& damage = reader->damage()) {
        survey.damages.push_back(*damage);
        auto file = ChunkFile::open(path);
        if (!file) {
            return tl::unexpected(file.error());
        }
        if (auto salvaged = Salvage(*file, survey).run(damage->offset); !salvaged) {
            return tl::unexpected(salvaged.error());
        }
    }
    return survey;
}

}  // namespace isotick::replay
