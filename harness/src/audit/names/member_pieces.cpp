#include "member_pieces.hpp"

#include <algorithm>
#include <utility>

namespace isotick::harness {
namespace {

void add_words(const MemoryRange& range, TypeMemory& type) {
    constexpr std::uint64_t kWord = 8;
    const std::uint64_t end = range.offset + range.size;
    for (std::uint64_t begin = range.offset; begin < end;) {
        const std::uint64_t next = std::min(end, (begin / kWord + 1) * kWord);
        UnseenPiece piece;
        piece.range = {range.type, begin, next - begin};
        piece.word = true;
        type.pieces.push_back(std::move(piece));
        begin = next;
    }
}

// Members, and the padding between them.
void add_members(const MemoryRange& range, const std::vector<NamedMember>& members,
                 TypeMemory& type) {
    const std::uint64_t end = range.offset + range.size;
    std::uint64_t done = range.offset;
    const auto pad_to = [&](std::uint64_t next) {
        if (next > done) {
            UnseenPiece piece;
            piece.range = {range.type, done, next - done};
            piece.padding = true;
            type.pieces.push_back(std::move(piece));
        }
    };
    for (const NamedMember& member : members) {
        const std::uint64_t first = std::max(done, member.offset);
        const std::uint64_t next = std::min(end, member.offset + member.size);
        if (first >= next) {  // within a union, beside another
            continue;
        }
        pad_to(first);
        UnseenPiece piece;
        piece.range = {range.type, first, next - first};
        piece.member = member.path;
        piece.opaque = !member.plain;
        type.pieces.push_back(std::move(piece));
        done = next;
    }
    pad_to(end);
}

}  // namespace

void split_into_pieces(TypeMemory& type, MemberNames* names) {
    for (const MemoryRange& range : type.unseen) {
        std::optional<std::vector<NamedMember>> members;
        if (names != nullptr) {
            members = names->members_at(type.type, type.size, {range.offset, range.size});
        }
        if (members) {
            add_members(range, *members, type);
        } else {
            add_words(range, type);
        }
    }
}

}  // namespace isotick::harness
