#include "read_recording.hpp"

#include <fstream>
#include <iterator>

namespace isotick::fuzz {
namespace {

void put_input(replay::Bytes& out, const isotick_input& input) {
    replay::put(out, input.player);
    replay::put(out, input.present);
    replay::put(out, input.size);
    replay::put_bytes(out, std::as_bytes(std::span(input.data, input.size)));
}

void put_tick(replay::Bytes& out, const replay::TickChunk& chunk, std::uint32_t i) {
    for (const isotick_input& input : chunk.inputs(i)) {
        put_input(out, input);
    }
    const auto dt = chunk.dt(i);
    replay::put(out, dt ? dt->numerator() : 0);
    replay::put(out, dt ? dt->denominator() : 0);
    replay::put(out, chunk.state_hash(i).value_or(core::StateHash()).value);
    for (const core::PartHash part : chunk.part_hashes(i)) {
        replay::put(out, part.value);
    }
}

}  // namespace

ChunkContent content_of(const replay::TickChunk& chunk) {
    ChunkContent content;
    content.first = chunk.first_tick().value;
    content.end = content.first + chunk.ticks();
    content.last = chunk.is_last();
    content.own_dts = chunk.own_dts();
    content.session_digest = chunk.session_digest();
    content.hash_digest = chunk.hash_digest();
    core::StreamDigester digester;
    replay::Bytes tick;
    for (std::uint32_t i = 0; i < chunk.ticks(); ++i) {
        tick.clear();
        put_tick(tick, chunk, i);
        digester.update(tick);
        content.stored_hashes += chunk.state_hash(i) ? 1U : 0U;
    }
    content.content = digester.value();
    return content;
}

ReadThrough read_through(replay::Reader& reader) {
    ReadThrough read;
    for (;;) {
        const auto chunk = reader.next();
        if (!chunk) {
            read.error = chunk.error().code;
        }
        if (!chunk || *chunk == nullptr) {
            return read;
        }
        read.chunks.push_back(content_of(**chunk));
    }
}

bool is_small(const replay::RecordingHead& head) {
    constexpr std::uint64_t kMostInputs = 1 << 16;
    const std::uint64_t ticks = replay::chunk_ticks(head.session.rate);
    return ticks * (head.session.players + 1) <= kMostInputs;
}

void write_file(const std::filesystem::path& path, Input bytes) {
    std::ofstream file(path, std::ios::binary);
    file.write(reinterpret_cast<const char*>(bytes.data()),
               static_cast<std::streamsize>(bytes.size()));
    require(file.good(), "a file can be written");
}

replay::Bytes read_file(const std::filesystem::path& path) {
    std::ifstream file(path, std::ios::binary);
    const std::string text{std::istreambuf_iterator<char>(file), {}};
    const auto bytes = std::as_bytes(std::span(text));
    return {bytes.begin(), bytes.end()};
}

}  // namespace isotick::fuzz
