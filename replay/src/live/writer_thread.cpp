#include "writer_thread.hpp"

#include "../format/bytes.hpp"

#include <string>
#include <thread>
#include <utility>

namespace isotick::replay {

// Waking the thread costs the one that plays more than recording a hundred ticks: where chunks come
// faster than a game plays them, it stays awake. That is some tens of microseconds a chunk.
constexpr int kLooks = 64;

using core::Result;
using Lock = std::unique_lock<std::mutex>;

WriterThread::WriterThread(RecordingStart start, std::uint32_t most_queued)
    : shared_(std::make_shared<Shared>(std::move(start), most_queued)) {
    std::thread([shared = shared_] { run(shared); }).detach();
}

WriterThread::~WriterThread() {
    end(std::chrono::milliseconds(0));
}

Result<void> WriterThread::await_file(std::chrono::milliseconds patience) {
    Lock lock(shared_->mutex);
    shared_->is_given_up =
        !shared_->done.wait_for(lock, patience, [this] { return shared_->has_begun; });
    if (shared_->is_given_up) {
        return tl::unexpected(core::Error{core::ErrorCode::limit,
                                          "the disk is too slow: there is no file after " +
                                              std::to_string(patience.count()) + " ms",
                                          shared_->start.path,
                                          {},
                                          {}});
    }
    return shared_->error ? Result<void>(tl::unexpected(*shared_->error)) : Result<void>();
}

bool WriterThread::submit(StoredTicks& chunk, std::chrono::milliseconds patience) {
    Shared& shared = *shared_;
    Lock lock(shared.mutex);
    const auto has_room = [&] { return shared.queued < shared.ring.size(); };
    // Even waiting for no time at all is a call into the system.
    const bool may_wait = patience != std::chrono::milliseconds(0);
    if (!has_room() && !(may_wait && shared.done.wait_for(lock, patience, has_room))) {
        return false;
    }
    std::swap(shared.ring[(shared.first + shared.queued) % shared.ring.size()], chunk);
    ++shared.queued;
    lock.unlock();
    shared.work.notify_one();
    return true;
}

std::optional<Result<void>> WriterThread::finish(StoredTicks& open, const TickHashes& final_hashes,
                                                 std::chrono::milliseconds patience) {
    Lock lock(shared_->mutex);
    shared_->final_parts.assign(final_hashes.parts.begin(), final_hashes.parts.end());
    shared_->final_state = final_hashes.state;
    std::swap(shared_->last, open);
    shared_->finishing = true;
    shared_->ending = true;
    shared_->work.notify_one();
    if (!shared_->done.wait_for(lock, patience, [this] { return shared_->ended; })) {
        return std::nullopt;
    }
    if (shared_->error) {
        return Result<void>(tl::unexpected(*shared_->error));
    }
    return Result<void>();
}

void WriterThread::end(std::chrono::milliseconds patience) {
    Lock lock(shared_->mutex);
    shared_->ending = true;
    shared_->work.notify_one();
    shared_->done.wait_for(lock, patience, [this] { return shared_->ended; });
}

std::optional<core::Error> WriterThread::error() const {
    const Lock lock(shared_->mutex);
    return shared_->error;
}

// The disk may take its time for the head: nobody waits for that.
void WriterThread::begin(Shared& shared) {
    const RecordingStart& start = shared.start;
    write(shared, [&] {
        return ChunkWriter::create(start.path, start.head, {start.state, start.parts},
                                   start.options)
            .map([&](ChunkWriter&& made) { shared.writer.emplace(std::move(made)); });
    });
    {
        const Lock lock(shared.mutex);
        shared.has_begun = true;
        if (shared.is_given_up && shared.writer) {
            shared.writer->discard();
        }
        shared.done.notify_all();
    }
    write(shared, [&] { return shared.writer->sync_head(); });
}

void WriterThread::run(const std::shared_ptr<Shared>& shared) {
    begin(*shared);
    Lock lock(shared->mutex);
    while (true) {
        const auto has_work = [&] { return shared->queued != 0 || shared->ending; };
        for (int looks = 0; looks < kLooks && !has_work(); ++looks) {
            lock.unlock();
            std::this_thread::yield();
            lock.lock();
        }
        shared->work.wait(lock, has_work);
        if (shared->queued == 0) {
            break;
        }
        const StoredTicks& chunk = shared->ring[shared->first];
        lock.unlock();
        write(*shared, [&] { return shared->writer->write(chunk); });
        lock.lock();
        shared->first = (shared->first + 1) % shared->ring.size();
        --shared->queued;
        shared->done.notify_all();
    }
    lock.unlock();
    if (shared->finishing) {
        write(*shared, [&] {
            return shared->writer->finish(shared->last, {shared->final_state, shared->final_parts});
        });
    }
    shared->writer.reset();  // with finish or without, the file is closed
    lock.lock();
    shared->ended = true;
    shared->done.notify_all();
}

template <class Call>
void WriterThread::write(Shared& shared, const Call& call) {
    if (shared.has_failed.load(std::memory_order_relaxed)) {
        return;
    }
    try {
        if (const Result<void> written = call(); !written) {
            fail(shared, written.error());
        }
    } catch (...) {
        fail(shared, thrown_error());
    }
    if (shared.writer) {
        shared.written_through.store(shared.writer->written_through(), std::memory_order_release);
    }
}

void WriterThread::fail(Shared& shared, core::Error error) {
    const Lock lock(shared.mutex);
    shared.error = std::move(error);
    shared.has_failed.store(true, std::memory_order_release);
}

}  // namespace isotick::replay
