#pragma once
// A Writer on a thread of its own, which gets its ticks in batches.

#include "../write/tick_batch.hpp"

#include <isotick/core/result.hpp>
#include <isotick/replay/writer.hpp>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

namespace isotick::replay {

/// Hands batches to a Writer. The thread keeps what it needs alive and outlives this object where
/// it is in the middle of a write that takes longer than anybody wants to wait. Calls are from one
/// thread, except written_through().
class WriterThread {
  public:
    /// At most `most_queued` batches are kept waiting, the one being written included.
    WriterThread(Writer writer, std::uint32_t columns, std::uint32_t most_queued);
    ~WriterThread();
    WriterThread(const WriterThread&) = delete;
    WriterThread& operator=(const WriterThread&) = delete;

    /// Swaps `batch` for an empty one and queues it. Waits for room no longer than `patience`;
    /// false if there was none.
    [[nodiscard]] bool submit(TickBatch& batch, std::chrono::milliseconds patience);

    /// Queues `batch` without asking for room, and the end of the recording after it. Then waits
    /// until the file is complete: the outcome, or none where that took longer than `patience`.
    [[nodiscard]] std::optional<core::Result<void>> finish(TickBatch& batch,
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
        Shared(Writer&& made, std::uint32_t column_count, std::size_t slots)
            : writer(std::move(made)), columns(column_count), inputs(column_count), ring(slots) {}

        // To be called with the mutex held.
        void push(TickBatch& batch);
        void pop();

        // The thread's own.
        std::optional<Writer> writer;
        std::vector<ColumnInput> columns;
        std::vector<isotick_input> inputs;
        std::vector<core::PartHash> parts;

        std::atomic<std::uint64_t> written_through{0};
        std::atomic<bool> has_failed{false};

        std::mutex mutex;
        std::condition_variable work;  // there is something to do for the thread
        std::condition_variable done;  // the thread has done something
        std::vector<TickBatch> ring;   // `queued` of them from `first` on wait; others are empty
        std::size_t first = 0;         // this one is being written
        std::size_t queued = 0;
        std::optional<core::Error> error;
        bool finishing = false;
        core::StateHash final_state;
        std::vector<core::PartHash> final_parts;
        bool ending = false;  // nothing more will be queued
        bool ended = false;
    };

    static void run(const std::shared_ptr<Shared>& shared);
    static void write(Shared& shared, const TickBatch& batch);
    static void finish_file(Shared& shared);
    static void fail(Shared& shared, core::Error error);

    std::shared_ptr<Shared> shared_;
    std::uint32_t most_queued_;
};

}  // namespace isotick::replay
