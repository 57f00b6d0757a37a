#pragma once
// Reads a recording in bounded memory, sequentially or chunk by chunk.

#include <isotick/core/result.hpp>
#include <isotick/replay/detail/recording_head.hpp>
#include <isotick/replay/detail/tick_chunk.hpp>
#include <isotick/replay/detail/tick_hashes.hpp>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace isotick::replay {

/// Bytes of a file that are not what they must be.
struct Damage {
    std::uint64_t offset = 0;  ///< where, in bytes from the start of the file
    std::string reason;        ///< one sentence, no trailing full stop
    friend bool operator==(const Damage&, const Damage&) = default;
};

/// Reads one recording. Damage behind the head is not an error: the intact ticks before it can be
/// used, and damage() says what lies behind them. Errors are failures of the operating system and
/// recordings that need a newer isotick. Memory does not grow with the recording's length (with an
/// index or after a random access: 8 bytes a chunk). Movable; not thread-safe.
class Reader {
  public:
    /// Opens a recording and reads its head and, where there is one, its tail. Fails with `io` on
    /// what cannot be read or is no regular file, `damaged` on what is not a recording or has a
    /// damaged head, `version` on one from a newer isotick. `path`, like every path in this
    /// module's functions and errors, is UTF-8 on Windows, and elsewhere bytes as the system has
    /// them; std::filesystem::path would cost each file that includes this half a second.
    [[nodiscard]] static core::Result<Reader> open(const std::string& path);
    ~Reader();
    Reader(Reader&&) noexcept;
    Reader& operator=(Reader&&) noexcept;

    [[nodiscard]] const RecordingHead& head() const;
    /// The hashes of the state before tick 0 (no parts where the state has only one); valid as
    /// long as the Reader.
    [[nodiscard]] TickHashes initial() const;
    /// The size of the file when it was opened, in bytes.
    [[nodiscard]] std::uint64_t file_size() const;

    /// The next chunk of the intact prefix, or null at its end. Checksums and running digests are
    /// verified. The chunk is valid until the next call of next, chunk or rewind.
    [[nodiscard]] core::Result<const TickChunk*> next();
    /// Makes next start over.
    void rewind();
    /// What ended the intact prefix early; known after next returned null.
    [[nodiscard]] const std::optional<Damage>& damage() const;
    /// True if next met the end of a finished recording.
    [[nodiscard]] bool saw_last() const;
    /// True if next met the end of the file, after a chunk or within one, and no damage, but not
    /// the end of a finished recording.
    [[nodiscard]] bool is_unfinished() const;

    /// True if the file ends with an intact index and end mark.
    [[nodiscard]] bool has_tail() const;
    /// What is wrong with the tail, where there is something like one. Costs no tick.
    [[nodiscard]] const std::optional<Damage>& tail_damage() const;
    /// How many ticks the index says there are; none without one.
    [[nodiscard]] std::optional<std::uint64_t> indexed_ticks() const;

    /// How many tick chunks there are: from the index or, without one, by walking over the chunk
    /// headers up to the first that is damaged.
    [[nodiscard]] core::Result<std::uint64_t> chunk_count();
    /// Chunk `n`, which starts at tick n × chunk_ticks. Its checksum is verified, the chain of
    /// digests is not. Fails with `damaged` if it is, `usage` if there is none. The chunk is valid
    /// until the next call of next, chunk or rewind; next goes on where it was.
    [[nodiscard]] core::Result<const TickChunk*> chunk(std::uint64_t n);

    /// How many tick chunks were read and decoded so far.
    [[nodiscard]] std::uint64_t chunks_read() const;

  private:
    struct Impl;
    explicit Reader(std::unique_ptr<Impl> impl);
    std::unique_ptr<Impl> impl_;
};

/// What everything says of a recording that has no final chunk and no damage either.
[[nodiscard]] std::string_view unfinished_text();

}  // namespace isotick::replay
