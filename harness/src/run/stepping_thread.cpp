#include "stepping_thread.hpp"

namespace isotick::harness {

SteppingThread::~SteppingThread() {
    if (!thread_.joinable()) {
        return;
    }
    {
        const std::lock_guard lock(mutex_);
        over_ = true;
    }
    changed_.notify_all();
    thread_.join();
}

void SteppingThread::run(const std::function<void()>& work) {
    std::unique_lock lock(mutex_);
    if (!thread_.joinable()) {
        thread_ = std::thread([this] { serve(); });
    }
    work_ = &work;
    changed_.notify_all();
    changed_.wait(lock, [this] { return work_ == nullptr; });
}

void SteppingThread::serve() {
    std::unique_lock lock(mutex_);
    while (true) {
        changed_.wait(lock, [this] { return over_ || work_ != nullptr; });
        if (over_) {
            return;
        }
        (*work_)();
        work_ = nullptr;
        changed_.notify_all();
    }
}

}  // namespace isotick::harness
