#include "mended_recording.hpp"

#include <isotick/replay/detail/recording_head.hpp>

#include <algorithm>
#include <optional>

#include <format/bytes.hpp>
#include <format/chunk_header.hpp>
#include <format/recording_head.hpp>
#include <format/tick_codec.hpp>
#include <read/chunk_chain.hpp>
#include <read/tail.hpp>

namespace isotick::fuzz {
namespace {

using replay::ByteReader;
using replay::Bytes;
using replay::ChunkHeader;

constexpr unsigned kAsItIs = 1;
constexpr unsigned kDigestsAsTheyAre = 2;
constexpr unsigned kTailAsItIs = 4;
constexpr unsigned kTicksAsTheyAre = 8;
constexpr unsigned kDamaged = 0x10;
constexpr unsigned kDamagedTwice = 0x20;
constexpr unsigned kCut = 0x40;

constexpr std::size_t kDigests = 2 * replay::kDigestSize;

std::size_t find_marker(Input file, std::size_t from) {
    const auto marker = std::as_bytes(std::span(replay::kSyncMarker));
    const auto rest = file.subspan(std::min(from, file.size()));
    const auto found = std::search(rest.begin(), rest.end(), marker.begin(), marker.end());
    return file.size() - static_cast<std::size_t>(rest.end() - found);
}

class Mender {
  public:
    explicit Mender(unsigned mode) : mode_(mode) {}

    Bytes mend(Input file) {
        std::size_t at = find_marker(file, 0);
        mend_head(file.first(at));
        while (at < file.size()) {
            const std::size_t end = find_marker(file, at + 1);
            mend_chunk(file.subspan(at, end - at));
            at = end;
        }
        if (finished_ && has_tail_ && (mode_ & kTailAsItIs) == 0) {
            replay::put_bytes(out_, encode_tail(index_, head_->size, out_.size()));
        }
        return std::move(out_);
    }

  private:
    void mend_head(Input bytes) {
        out_.assign(bytes.begin(), bytes.end());
        if (out_.size() < replay::kHeadPrefixSize) {
            return;
        }
        const Bytes good = replay::encode_head(example(), {}).value();
        std::copy_n(good.begin(), 12, out_.begin());  // magic and versions
        const auto body = std::span(out_).subspan(replay::kHeadPrefixSize);
        replay::store(out_.data() + 12, static_cast<std::uint32_t>(body.size()));
        ByteReader reader(body);
        const replay::SessionInfo session = replay::read_session(reader);
        if (reader.remaining() >= sizeof(std::uint32_t)) {
            replay::store(out_.data() + out_.size() - reader.remaining(),
                          replay::chunk_ticks(session.rate));
        }
        core::StreamHasher hasher;
        hasher.update(std::span(out_).first(16));
        hasher.update(body);
        replay::store(out_.data() + 16, static_cast<std::uint32_t>(hasher.value()));
        if (auto decoded = replay::decode_head(out_)) {
            head_ = *std::move(decoded);
            decoder_.emplace(head_->head);
            chain_.emplace(*head_);
        }
    }

    static replay::RecordingHead example() {
        replay::RecordingHead head;
        head.session.simulation = "example";
        return head;
    }

    void mend_chunk(Input bytes) {
        if (bytes.size() < replay::kChunkFrameSize) {
            replay::put_bytes(out_, bytes);
            return;
        }
        ByteReader reader(bytes.subspan(replay::kSyncMarker.size()));
        ChunkHeader header;
        header.type = reader.get<std::uint8_t>();
        header.version = reader.get<std::uint8_t>();
        header.ticks_less_one = reader.get<std::uint16_t>();
        (void)reader.get<std::uint32_t>();
        header.first = reader.get<std::uint64_t>();
        const auto payload =
            bytes.subspan(replay::kChunkHeaderSize, bytes.size() - replay::kChunkFrameSize);
        payload_.assign(payload.begin(), payload.end());
        if (mend_payload(header)) {
            replay::put_bytes(out_, frame_chunk(header, payload_));
        }
    }

    // False where the chunk is left out.
    bool mend_payload(ChunkHeader& header) {
        if (!head_) {
            return true;
        }
        switch (header.type) {
            case replay::kTickChunk:
                mend_ticks(header);
                break;
            case replay::kFinalChunk:
                mend_final(header);
                break;
            case replay::kIndexChunk:
            case replay::kEndMark:
                return keep_tail(header);
            default:
                break;
        }
        return true;
    }

    bool keep_tail(ChunkHeader& header) {
        has_tail_ = true;
        if (header.type == replay::kIndexChunk) {
            index_offset_ = out_.size();
        } else {
            header.first = index_offset_;
        }
        return (mode_ & kTailAsItIs) != 0;
    }

    // As many bytes of hashes as are due, whatever stands before them.
    void fit_hashes(std::size_t before, std::uint64_t due) {
        payload_.resize(before + static_cast<std::size_t>(due) + kDigests);
    }

    void mend_ticks(ChunkHeader& header) {
        if ((mode_ & kTicksAsTheyAre) == 0) {
            header.first = chain_->next_tick();
        }
        ByteReader reader(payload_);
        const auto flags = reader.get<std::uint8_t>();
        (void)reader.take(reader.varint());
        if ((flags & replay::kHasDts) != 0) {
            (void)reader.take(reader.varint());
        }
        if (!reader.ok() || header.first > replay::kLastChunkStart) {
            return;
        }
        fit_hashes(payload_.size() - reader.remaining(), bytes_due(header));
        replay::TickChunk chunk;
        if (!decoder_->decode(header, payload_, chunk) || header.first != chain_->next_tick()) {
            return;
        }
        chain_->add(chunk);
        index_.offsets.push_back(out_.size());
        index_.ticks = chain_->next_tick();
        put_digests(chain_->session_digest());
    }

    [[nodiscard]] std::uint64_t bytes_due(const ChunkHeader& header) const {
        const replay::HashStride stride = head_->head.stride();
        std::uint64_t bytes = 0;
        for (std::uint32_t i = 0; i < header.ticks(); ++i) {
            const core::Tick tick{header.first + i};
            bytes += stride.hash_due(tick) ? 8U : 0U;
            bytes += stride.parts_due(tick) ? 8U * stride.part_count : 0U;
        }
        return bytes;
    }

    void mend_final(ChunkHeader& header) {
        if ((mode_ & kTicksAsTheyAre) == 0) {
            header.first = chain_->next_tick();
        }
        const replay::HashStride stride = head_->head.stride();
        const core::Tick last{header.first - 1};
        const bool any = header.first != 0;
        fit_hashes(
            0, (any && !stride.hash_due(last) ? 8U : 0U) +
                   (any && stride.has_parts() && !stride.parts_due(last) ? 8U * stride.part_count
                                                                         : 0U));
        const auto final = replay::decode_final(header, payload_, stride);
        if (!final || header.first != chain_->next_tick()) {
            return;
        }
        const core::Digest session = chain_->session_digest();
        chain_->add(*final);
        finished_ = true;
        put_digests(session);
    }

    void put_digests(const core::Digest& session) {
        if ((mode_ & kDigestsAsTheyAre) == 0) {
            payload_.resize(payload_.size() - kDigests);
            replay::put_digest(payload_, session);
            replay::put_digest(payload_, chain_->hash_digest());
        }
    }

    unsigned mode_;
    Bytes out_;
    Bytes payload_;
    std::optional<replay::DecodedHead> head_;
    std::optional<replay::TickDecoder> decoder_;
    std::optional<replay::ChunkChain> chain_;
    replay::ChunkIndex index_;
    std::uint64_t index_offset_ = 0;
    bool finished_ = false;
    bool has_tail_ = false;
};

std::size_t take_place(Input& input, std::size_t size) {
    const unsigned low = take_byte(input);
    const std::size_t place = low | take_byte(input) << 8U;
    return size == 0 ? 0 : place % size;
}

void damage(Bytes& file, std::size_t place, unsigned bits) {
    if (!file.empty()) {
        file[place % file.size()] ^= static_cast<std::byte>(bits);
    }
}

}  // namespace

Bytes mended_recording(Input input) {
    const unsigned mode = take_byte(input);
    Input damages = input.first(std::min<std::size_t>(
        input.size(), ((mode & kDamaged) != 0 ? 3U : 0U) + ((mode & kDamagedTwice) != 0 ? 3U : 0U) +
                          ((mode & kCut) != 0 ? 2U : 0U)));
    input = input.subspan(damages.size());
    Bytes file =
        (mode & kAsItIs) != 0 ? Bytes(input.begin(), input.end()) : Mender(mode).mend(input);
    for (const unsigned each : {kDamaged, kDamagedTwice}) {
        if ((mode & each) != 0) {
            const std::size_t place = take_place(damages, file.size());
            damage(file, place, take_byte(damages));
        }
    }
    if ((mode & kCut) != 0) {
        file.resize(take_place(damages, file.size()));
    }
    return file;
}

}  // namespace isotick::fuzz
