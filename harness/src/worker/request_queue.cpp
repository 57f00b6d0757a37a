#include "request_queue.hpp"

#include <algorithm>
#include <chrono>
#include <optional>
#include <poll.h>
#include <thread>
#include <utility>

namespace isotick::harness {
namespace {

using core::Result;
using Clock = std::chrono::steady_clock;

constexpr int kLookEveryMs = 50;

// One worker, what it is working on, and when it was last seen to move.
struct Lane {
    std::optional<WorkerProcess> worker;
    std::optional<std::size_t> request;
    bool fresh = false;
    bool killed = false;
    std::uint64_t beats = 0;
    Clock::time_point moved;
};

class Queue {
  public:
    Queue(std::span<const std::string> requests, WorkerProcess::Kind kind,
          const WorkerOptions& options)
        : requests_(requests), options_(options), all_fresh_(kind == WorkerProcess::Kind::fresh) {
        ends_.resize(requests.size());
        const std::size_t processors = std::max(1U, std::thread::hardware_concurrency());
        const std::size_t wanted = options.jobs == 0 ? processors : options.jobs;
        lanes_.resize(std::min(wanted, requests.size()));
    }

    Result<std::vector<RequestEnd>> run() {
        while (done_ < requests_.size()) {
            for (Lane& lane : lanes_) {
                if (auto fed = feed(lane); !fed) {
                    return tl::unexpected(fed.error());
                }
            }
            wait();
            for (Lane& lane : lanes_) {
                attend(lane);
            }
        }
        return std::move(ends_);
    }

  private:
    Result<void> feed(Lane& lane) {
        if (lane.request) {
            return {};
        }
        std::size_t request = next_;
        lane.fresh = all_fresh_;
        if (!again_.empty()) {
            request = again_.back();
            again_.pop_back();
            lane.fresh = true;
        } else if (next_ == requests_.size()) {
            return {};
        } else {
            ++next_;
        }
        return start(lane, request);
    }

    Result<void> start(Lane& lane, std::size_t request) {
        if (lane.fresh || !lane.worker || !lane.worker->alive()) {
            const auto kind =
                lane.fresh ? WorkerProcess::Kind::fresh : WorkerProcess::Kind::fork_server;
            auto started = WorkerProcess::start(options_.executable, kind);
            if (!started) {
                return tl::unexpected(started.error());
            }
            lane.worker = std::move(*started);
        }
        lane.request = request;
        lane.killed = false;
        lane.beats = lane.worker->beats();
        lane.moved = Clock::now();
        return lane.worker->submit(requests_[request]);
    }

    void wait() {
        polls_.clear();
        for (const Lane& lane : lanes_) {
            if (lane.request) {
                polls_.push_back({lane.worker->socket(), POLLIN, 0});
                polls_.push_back({lane.worker->output(), POLLIN, 0});
            }
        }
        poll(polls_.data(), static_cast<nfds_t>(polls_.size()), kLookEveryMs);
    }

    void attend(Lane& lane) {
        if (!lane.request) {
            return;
        }
        lane.worker->drain_output();
        if (auto end = lane.worker->take_end()) {
            settle(lane, std::move(*end));
            return;
        }
        const auto now = Clock::now();
        if (const std::uint64_t beats = lane.worker->beats(); beats != lane.beats) {
            lane.beats = beats;
            lane.moved = now;
        }
        const auto allowed = std::chrono::milliseconds(options_.timeout_ms);
        if (options_.timeout_ms != 0 && !lane.killed && now - lane.moved > allowed) {
            lane.killed = true;
            lane.worker->kill_request();
        }
    }

    void settle(Lane& lane, RequestEnd end) {
        const std::size_t request = *std::exchange(lane.request, std::nullopt);
        if (end.needs_fresh) {
            all_fresh_ = true;  // what loading does once, it does every time
            again_.push_back(request);
            return;
        }
        end.timed_out = lane.killed && !end.finished;
        if (lane.fresh) {
            lane.worker.reset();
        }
        ends_[request] = std::move(end);
        ++done_;
        if (options_.on_progress) {
            options_.on_progress(done_, requests_.size());
        }
    }

    std::span<const std::string> requests_;
    const WorkerOptions& options_;
    bool all_fresh_;
    std::vector<RequestEnd> ends_;
    std::vector<Lane> lanes_;
    std::vector<std::size_t> again_;
    std::vector<pollfd> polls_;
    std::size_t next_ = 0;
    std::size_t done_ = 0;
};

}  // namespace

std::string cause_of(const RequestEnd& end, const WorkerOptions& options) {
    const std::string what = end.timed_out
                                 ? "no progress for " + std::to_string(options.timeout_ms) + " ms"
                                 : end.reason;
    return what + " " + describe(end.activity, end.tick);
}

Result<std::vector<RequestEnd>> run_requests(std::span<const std::string> requests,
                                             WorkerProcess::Kind kind,
                                             const WorkerOptions& options) {
    return Queue(requests, kind, options).run();
}

}  // namespace isotick::harness
