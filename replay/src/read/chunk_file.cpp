#include "chunk_file.hpp"

#include "../format/bytes.hpp"

#include <isotick/core/detail/try.hpp>

#include <algorithm>
#include <array>
#include <utility>

namespace isotick::replay {
namespace {

using core::ErrorCode;
using core::Result;

tl::unexpected<core::Error> in_file(core::Error error, const std::string& path) {
    error.file = path;
    return tl::unexpected<core::Error>(std::move(error));
}

Result<DecodedHead> read_head(File& file, std::uint64_t file_size) {
    Bytes bytes(static_cast<std::size_t>(std::min<std::uint64_t>(kHeadPrefixSize, file_size)));
    ISOTICK_TRY(file.read_at(0, bytes));
    ISOTICK_TRY_ASSIGN(const auto size, head_size(bytes));
    bytes.resize(static_cast<std::size_t>(std::min<std::uint64_t>(size, file_size)));
    ISOTICK_TRY(file.read_at(0, bytes));
    return decode_head(bytes);
}

// Payloads that are not kept are read in pieces of this many bytes.
constexpr std::size_t kPiece = std::size_t{1} << 16;

constexpr const char* kStrayMark = "the end mark points to something that is not the index";

FoundTail tail_damage(std::uint64_t offset, std::string reason) {
    FoundTail tail;
    tail.damage = Damage{offset, std::move(reason)};
    return tail;
}

// The index at `offset`, which the end mark at `mark_offset` points to.
Result<FoundTail> read_index(ChunkFile& file, std::uint64_t offset, std::uint64_t mark_offset) {
    ISOTICK_TRY_ASSIGN(const auto found, file.look_at(offset));
    if (!found.header || found.header->type != kIndexChunk ||
        found.header->version != kChunkVersion || found.end() != mark_offset) {
        return tail_damage(offset, kStrayMark);
    }
    ISOTICK_TRY_ASSIGN(const auto reason, file.read_payload(found));
    if (!reason.empty()) {
        return tail_damage(offset, reason);
    }
    FoundTail tail;
    tail.index = decode_index(file.payload(), file.head().size, offset, file.chunk_ticks());
    return tail.index ? std::move(tail) : tail_damage(offset, "the index is malformed");
}

// Whether the first bytes of a header are `bytes`, as far as that can be told without the rest.
bool may_begin_chunk(std::span<const std::byte> bytes) {
    const auto marker = std::as_bytes(std::span(kSyncMarker));
    return std::equal(bytes.begin(),
                      bytes.begin() + std::min<std::ptrdiff_t>(std::ssize(bytes), marker.size()),
                      marker.begin());
}

constexpr const char* kWrongChecksum = "a chunk's checksum is wrong";
constexpr const char* kMalformedFinal = "the final chunk is malformed";

}  // namespace

bool is_known(const ChunkHeader& header) {
    const bool type_known = header.type == kTickChunk || header.type == kFinalChunk ||
                            header.type == kIndexChunk || header.type == kEndMark;
    return type_known && header.version == kChunkVersion;
}

ChunkFile::ChunkFile(File file, std::string path, std::uint64_t size, DecodedHead head)
    : file_(std::move(file)),
      path_(std::move(path)),
      size_(size),
      head_(std::move(head)),
      chunk_ticks_(replay::chunk_ticks(head_.head.session.rate)),
      decoder_(head_.head) {}

Result<ChunkFile> ChunkFile::open(const std::string& path) {
    ISOTICK_TRY_ASSIGN(auto file, File::open(path_of(path)));
    ISOTICK_TRY_ASSIGN(const auto size, file.size());
    auto head = read_head(file, size);
    if (!head) {
        return in_file(head.error(), path);
    }
    return ChunkFile(std::move(file), path, size, *std::move(head));
}

tl::unexpected<core::Error> ChunkFile::fail(ErrorCode code, std::string message,
                                            std::uint64_t offset) const {
    return tl::unexpected<core::Error>(core::Error{code, std::move(message), path_, offset, {}});
}

Result<FoundChunk> ChunkFile::find(std::uint64_t offset) {
    auto found = look_at(offset);
    if (!found || !found->header) {
        return found;
    }
    const ChunkHeader& header = *found->header;
    if (!is_known(header) && !is_optional(header.type)) {
        return fail(ErrorCode::version,
                    "a chunk of type " + std::to_string(header.type) + " version " +
                        std::to_string(header.version) + " needs a newer isotick",
                    offset);
    }
    return found;
}

Result<FoundChunk> ChunkFile::find_required(std::uint64_t offset) {
    auto found = find(offset);
    while (found && found->header && is_optional(found->header->type)) {
        found = find(found->end());
    }
    return found;
}

Result<FoundChunk> ChunkFile::look_at(std::uint64_t offset) {
    FoundChunk found;
    found.offset = offset;
    const std::uint64_t rest = size_ - std::min(offset, size_);
    if (rest == 0) {
        return found;
    }
    std::array<std::byte, kChunkHeaderSize> bytes{};
    const auto begin = std::span(bytes).first(
        static_cast<std::size_t>(std::min<std::uint64_t>(rest, bytes.size())));
    ISOTICK_TRY(file_.read_at(offset, begin));
    const auto header = begin.size() == bytes.size() ? decode_chunk_header(bytes) : std::nullopt;
    if (header && header->chunk_size() <= rest) {
        found.header = header;
        return found;
    }
    found.is_cut = header || (begin.size() < bytes.size() && may_begin_chunk(begin));
    found.reason = found.is_cut ? "the file ends within a chunk"
                                : "no intact chunk header where a chunk must begin";
    return found;
}

Result<std::string> ChunkFile::read_payload(const FoundChunk& found) {
    set_size(payload_, found.header->payload_size + kPayloadChecksumSize);
    ISOTICK_TRY(file_.read_at(found.offset + kChunkHeaderSize, payload_));
    const auto stored =
        ByteReader(std::span(payload_).last(kPayloadChecksumSize)).get<std::uint32_t>();
    payload_.resize(found.header->payload_size);
    return std::string(stored == checksum(payload_) ? "" : kWrongChecksum);
}

Result<std::string> ChunkFile::check_payload(const FoundChunk& found) {
    core::StreamHasher hasher;
    std::uint64_t at = found.offset + kChunkHeaderSize;
    for (std::uint64_t rest = found.header->payload_size; rest != 0;) {
        payload_.resize(static_cast<std::size_t>(std::min<std::uint64_t>(rest, kPiece)));
        ISOTICK_TRY(file_.read_at(at, payload_));
        hasher.update(payload_);
        at += payload_.size();
        rest -= payload_.size();
    }
    payload_.resize(kPayloadChecksumSize);
    ISOTICK_TRY(file_.read_at(at, payload_));
    const auto stored = ByteReader(payload_).get<std::uint32_t>();
    payload_.clear();
    return std::string(stored == static_cast<std::uint32_t>(hasher.value()) ? "" : kWrongChecksum);
}

Result<std::string> ChunkFile::read_ticks(const FoundChunk& found, TickChunk& chunk) {
    if (found.header->first % chunk_ticks_ != 0) {
        return std::string("a chunk follows one that is not full");
    }
    if (found.header->ticks() > chunk_ticks_) {
        return std::string("a chunk claims too many ticks");
    }
    auto reason = read_payload(found);
    if (!reason || !reason->empty()) {
        return reason;
    }
    const auto decoded = decoder_.decode(*found.header, payload_, chunk);
    if (!decoded && decoded.error().code != ErrorCode::damaged) {
        return fail(decoded.error().code, decoded.error().message, found.offset);
    }
    chunks_read_ += decoded ? 1U : 0U;
    return decoded ? std::string() : decoded.error().message;
}

Result<std::string> ChunkFile::read_final(const FoundChunk& found, FinalHashes& final) {
    if (found.header->payload_size > kLongestFinal) {
        return std::string(kMalformedFinal);
    }
    auto reason = read_payload(found);
    if (!reason || !reason->empty()) {
        return reason;
    }
    auto decoded = decode_final(*found.header, payload_, head_.head.stride());
    if (!decoded) {
        return std::string(kMalformedFinal);
    }
    final = *std::move(decoded);
    return std::string();
}

Result<FoundTail> find_tail(ChunkFile& file) {
    const std::uint64_t mark_offset =
        file.size() - std::min(file.size(), std::uint64_t{kChunkFrameSize});
    ISOTICK_TRY_ASSIGN(const auto mark, file.look_at(mark_offset));
    if (mark_offset < file.head().size || !mark.header || mark.header->type != kEndMark ||
        mark.header->version != kChunkVersion) {
        return FoundTail();  // no tail, or one whose damage only sequential reading can tell
    }
    ISOTICK_TRY_ASSIGN(const auto reason, file.read_payload(mark));
    if (!reason.empty()) {
        return tail_damage(mark_offset, reason);
    }
    const std::uint64_t index_offset = mark.header->first;
    if (index_offset < file.head().size || index_offset >= mark_offset) {
        return tail_damage(mark_offset, kStrayMark);
    }
    return read_index(file, index_offset, mark_offset);
}

Result<OpenedFile> open_with_tail(const std::string& path) {
    ISOTICK_TRY_ASSIGN(auto file, ChunkFile::open(path));
    ISOTICK_TRY_ASSIGN(auto tail, find_tail(file));
    return OpenedFile{std::move(file), std::move(tail)};
}

}  // namespace isotick::replay
