#pragma once
// A thread of its own for a simulation's steps, as hosts have it whose renderer must not wait.

#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>

namespace isotick::harness {

/// Runs work on one other thread, while the calling one waits: calls of a simulation come from two
/// threads, but never at the same time. The thread starts with the first work. Not thread-safe.
class SteppingThread {
  public:
    SteppingThread() = default;
    ~SteppingThread();
    SteppingThread(const SteppingThread&) = delete;
    SteppingThread& operator=(const SteppingThread&) = delete;

    /// Returns when `work` has, which must not throw.
    void run(const std::function<void()>& work);

  private:
    void serve();

    std::mutex mutex_;
    std::condition_variable changed_;
    const std::function<void()>* work_ = nullptr;  // null: none, or done
    bool over_ = false;
    std::thread thread_;
};

}  // namespace isotick::harness
