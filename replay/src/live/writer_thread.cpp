#include "writer_thread.hpp"

#include <exception>
#include <thread>
#include <utility>

namespace isotick::replay {

using core::Result;
using Lock = std::unique_lock<std::mutex>;

WriterThread::WriterThread(Writer writer, std::uint32_t columns, std::uint32_t most_queued)
    : shared_(std::make_shared<Shared>(std::move(writer), columns, most_queued + std::size_t{1})),
      most_queued_(most_queued) {
    for (std::uint32_t column = 0; column < columns; ++column) {
        shared_->inputs[column].player = column + 1 < columns ? column : ISOTICK_WORLD;
    }
    std::thread([shared = shared_] { run(shared); }).detach();
}

WriterThread::~WriterThread() {
    end(std::chrono::milliseconds(0));
}

// `batch` gets the memory of one that was written before.
void WriterThread::Shared::push(TickBatch& batch) {
    TickBatch& slot = ring[(first + queued) % ring.size()];
    std::swap(slot, batch);
    batch.clear();
    ++queued;
}

void WriterThread::Shared::pop() {
    first = (first + 1) % ring.size();
    --queued;
}

bool WriterThread::submit(TickBatch& batch, std::chrono::milliseconds patience) {
    Lock lock(shared_->mutex);
    const auto has_room = [this] { return shared_->queued < most_queued_; };
    // Even waiting for no time at all is a call into the system.
    const bool may_wait = patience != std::chrono::milliseconds(0);
    if (!has_room() && !(may_wait && shared_->done.wait_for(lock, patience, has_room))) {
        return false;
    }
    shared_->push(batch);
    lock.unlock();
    shared_->work.notify_one();
    return true;
}

std::optional<Result<void>> WriterThread::finish(TickBatch& batch, const TickHashes& final_hashes,
                                                 std::chrono::milliseconds patience) {
    Lock lock(shared_->mutex);
    shared_->push(batch);
    shared_->finishing = true;
    shared_->ending = true;
    shared_->final_state = final_hashes.state;
    shared_->final_parts.assign(final_hashes.parts.begin(), final_hashes.parts.end());
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

void WriterThread::run(const std::shared_ptr<Shared>& shared) {
    Lock lock(shared->mutex);
    while (true) {
        shared->work.wait(lock, [&] { return shared->queued != 0 || shared->ending; });
        if (shared->queued == 0) {
            break;
        }
        const TickBatch& batch = shared->ring[shared->first];
        lock.unlock();
        try {
            write(*shared, batch);
        } catch (const std::exception& thrown) {  // out of memory
            fail(*shared, {core::ErrorCode::limit, thrown.what(), {}, {}, {}});
        }
        lock.lock();
        shared->pop();
        shared->done.notify_all();
    }
    lock.unlock();
    finish_file(*shared);
    lock.lock();
    shared->ended = true;
    shared->done.notify_all();
}

// With finish or without, the file is closed after it.
void WriterThread::finish_file(Shared& shared) {
    if (shared.finishing && !shared.has_failed.load(std::memory_order_relaxed)) {
        if (auto finished = shared.writer->finish({shared.final_state, shared.final_parts});
            !finished) {
            fail(shared, finished.error());
        } else {
            shared.written_through.store(shared.writer->written_through(),
                                         std::memory_order_release);
        }
    }
    shared.writer.reset();
}

void WriterThread::write(Shared& shared, const TickBatch& batch) {
    if (shared.has_failed.load(std::memory_order_relaxed)) {
        return;
    }
    batch.unpack(shared.columns, shared.parts,
                 [&](const TickHashes* hashes, std::optional<core::TickDt> dt) {
                     for (std::size_t i = 0; i < shared.columns.size(); ++i) {
                         const ColumnInput& input = shared.columns[i];
                         shared.inputs[i].present = input.code == 0 ? 0 : 1;
                         shared.inputs[i].size = input.size();
                         shared.inputs[i].data = input.bytes.data();
                     }
                     const auto appended = shared.writer->append(shared.inputs, hashes, dt);
                     if (!appended) {
                         fail(shared, appended.error());
                     }
                     return appended.has_value();
                 });
    shared.written_through.store(shared.writer->written_through(), std::memory_order_release);
}

void WriterThread::fail(Shared& shared, core::Error error) {
    const Lock lock(shared.mutex);
    shared.error = std::move(error);
    shared.has_failed.store(true, std::memory_order_release);
}

}  // namespace isotick::replay
