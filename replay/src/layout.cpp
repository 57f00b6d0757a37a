#include "chunk_scan.hpp"
#include "layout_fields.hpp"

#include <isotick/replay/layout.hpp>

#include <algorithm>
#include <array>
#include <utility>

namespace isotick::replay {
namespace {

using core::ErrorCode;
using core::Result;
using Kind = ScannedBlock::Kind;

constexpr const char* kNoChunk = "unknown";

// Damage may end before its header says, or after.
void fit_fields(LayoutBlock& block) {
    const std::uint64_t end = block.offset + block.bytes;
    std::erase_if(block.fields, [&](const LayoutField& field) { return field.offset >= end; });
    if (block.fields.empty()) {
        return;
    }
    LayoutField& last = block.fields.back();
    last.bytes = std::min(last.bytes, end - last.offset);
    const std::uint64_t told = last.offset + last.bytes;
    if (told < end) {
        block.fields.push_back({told, end - told, kNoChunk, "no chunk begins here"});
    }
}

LayoutField payload_field(const FoundChunk& found) {
    return {found.offset + kChunkHeaderSize, found.header->payload_size, "payload",
            "not looked into"};
}

}  // namespace

struct LayoutReader::Impl {
    explicit Impl(ChunkFile&& opened, bool has_head)
        : file(std::move(opened)), scan(file, true), search(file), head_is_readable(has_head) {}

    [[nodiscard]] Result<LayoutBlock> head();
    [[nodiscard]] Result<LayoutBlock> partial_mark();
    [[nodiscard]] Result<std::optional<LayoutBlock>> scanned();
    [[nodiscard]] Result<std::optional<LayoutBlock>> framed();
    [[nodiscard]] Result<void> add_header(const FoundChunk& found, LayoutBlock& block);
    [[nodiscard]] Result<void> add_unread_payload(const FoundChunk& found, LayoutBlock& block);
    [[nodiscard]] Result<void> add_checksum(const FoundChunk& found, bool right,
                                            LayoutBlock& block);

    ChunkFile file;
    ChunkScan scan;
    MarkerSearch search;  // where the head is not readable
    bool head_is_readable;
    std::uint64_t position = 0;
    bool saw_last = false;
};

Result<LayoutBlock> LayoutReader::Impl::head() {
    LayoutBlock block;
    block.type = "head";
    Bytes bytes(static_cast<std::size_t>(std::min<std::uint64_t>(kHeadPrefixSize, file.size())));
    if (auto read = file.read_raw(0, bytes); !read) {
        return tl::unexpected(read.error());
    }
    const auto size = head_size(bytes);
    if (size) {
        bytes.resize(static_cast<std::size_t>(std::min<std::uint64_t>(*size, file.size())));
        if (auto read = file.read_raw(0, bytes); !read) {
            return tl::unexpected(read.error());
        }
    }
    if (const auto decoded = decode_head(bytes); !decoded) {
        block.damage = decoded.error().message;
    }
    head_fields(bytes, block.fields);
    block.bytes = bytes.size();
    if (!head_is_readable) {
        const auto end = search.next(1);
        if (!end) {
            return tl::unexpected(end.error());
        }
        block.bytes = *end;
        fit_fields(block);
    }
    return block;
}

Result<LayoutBlock> LayoutReader::Impl::partial_mark() {
    const auto found = file.look_at(position);
    if (!found) {
        return tl::unexpected(found.error());
    }
    LayoutBlock block;
    block.offset = position;
    block.bytes = found->end() - position;
    block.type = type_name(*found->header);
    block.summary = payload_fields(*found->header, {}, 0, {}, block.fields);
    if (auto added = add_header(*found, block); !added) {
        return tl::unexpected(added.error());
    }
    if (auto added = add_checksum(*found, true, block); !added) {
        return tl::unexpected(added.error());
    }
    return block;
}

Result<void> LayoutReader::Impl::add_header(const FoundChunk& found, LayoutBlock& block) {
    std::array<std::byte, kChunkHeaderSize> bytes{};
    if (auto read = file.read_raw(found.offset, bytes); !read) {
        return read;
    }
    header_fields(bytes, found.offset, block.fields);
    return {};
}

Result<void> LayoutReader::Impl::add_checksum(const FoundChunk& found, bool right,
                                              LayoutBlock& block) {
    std::array<std::byte, kPayloadChecksumSize> bytes{};
    const std::uint64_t at = found.end() - kPayloadChecksumSize;
    if (auto read = file.read_raw(at, bytes); !read) {
        return read;
    }
    const std::uint32_t stored = ByteReader(bytes).get<std::uint32_t>();
    block.fields.push_back({at, kPayloadChecksumSize, "payload checksum",
                            core::to_hex(stored).substr(8) + (right ? ", right" : ", wrong")});
    return {};
}

// Of a chunk whose header alone is believed.
Result<void> LayoutReader::Impl::add_unread_payload(const FoundChunk& found, LayoutBlock& block) {
    if (auto added = add_header(found, block); !added) {
        return added;
    }
    const auto reason = file.check_payload(found);
    if (!reason) {
        return tl::unexpected(reason.error());
    }
    if (found.header->payload_size != 0) {
        block.fields.push_back(payload_field(found));
    }
    return add_checksum(found, reason->empty(), block);
}

Result<std::optional<LayoutBlock>> LayoutReader::Impl::scanned() {
    auto next = scan.next();
    if (!next || !*next) {
        return next ? Result<std::optional<LayoutBlock>>(std::nullopt)
                    : tl::unexpected(next.error());
    }
    const ScannedBlock& found = **next;
    LayoutBlock block;
    block.offset = found.offset;
    block.bytes = found.end - found.offset;
    block.damage = found.reason;
    block.type = found.header ? type_name(*found.header) : kNoChunk;
    block.harmless = !found.reason.empty() && (saw_last || found.is_skipped_damage());
    saw_last = saw_last || (found.is(Kind::final) && found.proven);
    if (!found.header) {
        return block;
    }
    const FoundChunk chunk{found.offset, found.header, {}};
    const bool is_read = found.is(Kind::ticks) || found.is(Kind::final);
    const bool is_index = found.is(Kind::optional) && is_known(*found.header);
    if (!is_read && !is_index) {
        auto added = add_unread_payload(chunk, block);
        fit_fields(block);
        return added ? Result<std::optional<LayoutBlock>>(std::move(block))
                     : tl::unexpected(added.error());
    }
    const auto read = is_index ? file.read_payload(chunk) : Result<std::string>("");
    auto added = read ? add_header(chunk, block) : tl::unexpected(read.error());
    if (added) {
        block.summary =
            payload_fields(*found.header, file.payload(), found.offset + kChunkHeaderSize,
                           file.head().head.stride(), block.fields);
        added = add_checksum(chunk, true, block);
    }
    return added ? Result<std::optional<LayoutBlock>>(std::move(block))
                 : tl::unexpected(added.error());
}

// Without a head nobody knows how many players and parts there are.
Result<std::optional<LayoutBlock>> LayoutReader::Impl::framed() {
    if (position >= file.size()) {
        return std::nullopt;
    }
    const auto found = file.look_at(position);
    if (!found) {
        return tl::unexpected(found.error());
    }
    LayoutBlock block;
    block.offset = position;
    block.type = found->header ? type_name(*found->header) : kNoChunk;
    block.damage = found->reason;
    if (found->header) {
        block.bytes = found->header->chunk_size();
        auto added = add_unread_payload(*found, block);
        if (!added) {
            return tl::unexpected(added.error());
        }
        const bool right = block.fields.back().value.ends_with("right");
        block.damage = right ? "" : "a chunk's checksum is wrong";
        position = found->end();
        return block;
    }
    const auto end = search.next(position + 1);
    if (!end) {
        return tl::unexpected(end.error());
    }
    block.bytes = *end - position;
    position = *end;
    return block;
}

Result<LayoutReader> LayoutReader::open(const std::filesystem::path& path) {
    auto file = ChunkFile::open(path);
    const bool has_head = file.has_value();
    if (!file && file.error().code != ErrorCode::io) {
        file = ChunkFile::open_headless(path);
    }
    if (!file) {
        return tl::unexpected(file.error());
    }
    if (file->size() == 0) {
        return file->fail(ErrorCode::damaged, "is empty", 0);
    }
    return LayoutReader(std::make_unique<Impl>(*std::move(file), has_head));
}

LayoutReader::LayoutReader(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
LayoutReader::~LayoutReader() = default;
LayoutReader::LayoutReader(LayoutReader&&) noexcept = default;
LayoutReader& LayoutReader::operator=(LayoutReader&&) noexcept = default;

std::uint64_t LayoutReader::file_size() const {
    return impl_->file.size();
}

Result<std::optional<LayoutBlock>> LayoutReader::next() {
    if (impl_->position == 0) {
        auto head = impl_->head();
        impl_->position = head ? head->bytes : 0;
        return head;
    }
    if (!impl_->head_is_readable) {
        return impl_->framed();
    }
    if (impl_->position < impl_->file.chunks_begin()) {
        auto mark = impl_->partial_mark();
        impl_->position = impl_->file.chunks_begin();
        return mark;
    }
    return impl_->scanned();
}

}  // namespace isotick::replay
