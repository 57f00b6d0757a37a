#pragma once
// Finds where a chunk may begin.

#include "chunk_file.hpp"

#include <isotick/core/detail/try.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

namespace isotick::replay {

/// Looks for chunks whose header is intact, going over each byte of the file once as long as it is
/// asked for ascending places. The ChunkFile must outlive it.
class MarkerSearch {
  public:
    explicit MarkerSearch(ChunkFile& file) : file_(file) {}

    /// The first place from `from` on where an intact chunk header of a type that is known or may
    /// be skipped stands, of a chunk within the file; the file's size where there is none.
    [[nodiscard]] core::Result<std::uint64_t> next(std::uint64_t from) {
        for (;;) {
            const auto marker = next_marker(from);
            if (!marker || *marker == file_.size()) {
                return marker;
            }
            if (const auto found = file_.find(*marker)) {
                if (found->header) {
                    return *marker;
                }
            } else if (found.error().code != core::ErrorCode::version) {
                return tl::unexpected(found.error());
            }
            from = *marker + 1;
        }
    }

    /// Whether the file ends at the chunk that was found: there, or within it, with no intact chunk
    /// behind. Nobody but a writer that was interrupted leaves a file that way.
    [[nodiscard]] core::Result<bool> is_end(const FoundChunk& found) {
        if (!found.is_cut) {
            return found.reason.empty() && !found.header;
        }
        return next(found.offset + 1).map([this](std::uint64_t at) { return at == file_.size(); });
    }

  private:
    static constexpr std::size_t kWindow = std::size_t{1} << 16;

    core::Result<std::uint64_t> next_marker(std::uint64_t from) {
        while (from + kSyncMarker.size() <= file_.size()) {
            if (from < begin_ || from + kSyncMarker.size() > begin_ + window_.size()) {
                ISOTICK_TRY(load(from));
            }
            const auto marker = std::as_bytes(std::span(kSyncMarker));
            const auto start = window_.begin() + static_cast<std::ptrdiff_t>(from - begin_);
            const auto hit = std::search(start, window_.end(), marker.begin(), marker.end());
            if (hit != window_.end()) {
                return begin_ + static_cast<std::uint64_t>(hit - window_.begin());
            }
            from = begin_ + window_.size() - (kSyncMarker.size() - 1);  // it may straddle two
        }
        return file_.size();
    }

    core::Result<void> load(std::uint64_t from) {
        begin_ = from;
        window_.resize(
            static_cast<std::size_t>(std::min<std::uint64_t>(kWindow, file_.size() - from)));
        auto read = file_.read_raw(from, window_);
        if (!read) {
            window_.clear();
        }
        return read;
    }

    ChunkFile& file_;
    Bytes window_;
    std::uint64_t begin_ = 0;
};

}  // namespace isotick::replay
