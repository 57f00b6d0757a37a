#pragma once
// A ChunkWriter on a thread of its own.

#include "../write/writer.hpp"

#include <isotick/core/result.hpp>
#include <isotick/replay/detail/stored_ticks.hpp>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace isotick::replay {

/// What a recording begins with, as ChunkWriter::create takes it.
struct RecordingStart {
    std::string path;
    RecordingHead head;
    core::StateHash state;
    std::vector<core::PartHash> parts;
    WriterOptions options;
};

/// Creates a ChunkWriter, and hands chunks to it. The thread keeps what it needs alive and outlives
/// this object where it is in the middle of a write that takes longer than anybody wants to wait.
/// Calls are from one thread, except written_through().
class WriterThread {
  public:
    /// At most `most_queued` chunks are kept waiting, the one being written included.
    WriterThread(RecordingStart start, std::uint32_t most_queued);
    ~WriterThread();
    WriterThread(const WriterThread&) = delete;
    WriterThread& operator=(const WriterThread&) = delete;

    /// Waits until there is a file with its head. Fails as ChunkWriter::create does, and with
    /// `limit` where that took longer than `patience`: then there will be none.
    [[nodiscard]] core::Result<void> await_file(std::chrono::milliseconds patience);

    /// Queues `chunk`, and swaps it for one that was written before. Waits for room no longer than
    /// `patience`; false if there was none.
    [[nodiscard]] bool submit(StoredTicks& chunk, std::chrono::milliseconds patience);

    /// Takes `open`, the last chunk, and ends the recording when it has written what is queued.
    /// Then waits until the file is complete: the outcome, or none where that took longer than
    /// `patience`.
    [[nodiscard]] std::optional<core::Result<void>> finish(StoredTicks& open,
                                                           const TickHashes& final_hashes,
                                                           std::chrono::milliseconds patience);

    /// Lets the thread end when it has written what is queued, and waits for that for `patience`.
    void end(std::chrono::milliseconds patience);

    /// True once something failed; error() then says what.
    [[nodiscard]] bool has_failed() const {
        return shared_->has_failed.load(std::memory_order_acquire);
    }
    [[nodiscard]] std::optional<core::Error> error() const;

    [[nodiscard]] std::uint64_t written_through() const {
        return shared_->written_through.load(std::memory_order_acquire);
    }

  private:
    struct Shared {
        Shared(RecordingStart&& begun, std::size_t slots) : start(std::move(begun)), ring(slots) {}

        RecordingStart start;
        std::optional<ChunkWriter> writer;  // the thread's own

        std::atomic<std::uint64_t> written_through{0};
        std::atomic<bool> has_failed{false};

        std::mutex mutex;
        std::condition_variable work;   // there is something to do for the thread
        std::condition_variable done;   // the thread has done something
        bool has_begun = false;         // the file is there, or cannot be
        bool is_given_up = false;       // before that
        std::vector<StoredTicks> ring;  // `queued` of them from `first` on wait
        std::size_t first = 0;          // this one is being written
        std::size_t queued = 0;
        std::optional<core::Error> error;
        bool finishing = false;
        StoredTicks last;
        core::StateHash final_state;
        std::vector<core::PartHash> final_parts;
        bool ending = false;  // nothing more will be queued
        bool ended = false;
    };

    static void run(const std::shared_ptr<Shared>& shared);
    static void begin(Shared& shared);
    // Does `call` unless something failed before.
    template <class Call>
    static void write(Shared& shared, const Call& call);
    static void fail(Shared& shared, core::Error error);

    std::shared_ptr<Shared> shared_;
};

}  // namespace isotick::replay
