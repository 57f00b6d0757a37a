#include "request_queue.hpp"

#include "../system/posix.hpp"

#include <isotick/core/detail/try.hpp>

#include <algorithm>
#include <thread>
#include <utility>

namespace isotick::harness {

core::Result<void> Lane::start(const Request& request, WorkerProcess::Kind kind,
                               const WorkerOptions& options) {
    const bool is_new = kind != WorkerProcess::Kind::fork_server || !worker_ || !worker_->alive() ||
                        process_ != request.process;
    if (is_new) {
        ProcessSetup setup = request.process;
        if (!options.notes.empty()) {
            setup.variables.emplace_back(preload::kNotesVariable, options.notes);
        }
        ISOTICK_TRY_ASSIGN(
            worker_, WorkerProcess::start(options.executable, kind, setup, options.memory_limit));
        kind_ = kind;
        process_ = request.process;
    }
    busy_ = true;
    watch_.start(worker_->beats());
    auto submitted = worker_->submit(request.bytes);
    if (submitted || is_new) {
        return submitted;
    }
    worker_.reset();  // it was killed while it had nothing to do
    return start(request, kind, options);
}

std::optional<RequestEnd> Lane::attend(const WorkerOptions& options) {
    worker_->drain_output();
    const bool hangs = watch_.hangs(worker_->beats(), options.timeout_ms);
    auto end = worker_->take_end();
    if (!end && hangs) {
        worker_->ask_where_it_is();
        worker_->stop();
        end = worker_->take_end();
        end->timed_out = !end->finished;
        end->kills = 0;
    }
    if (!end) {
        return std::nullopt;
    }
    busy_ = false;
    if (kind_ != WorkerProcess::Kind::fork_server || !worker_->alive()) {
        stop();
    }
    return end;
}

void Lane::stop() {
    worker_.reset();
    busy_ = false;
}

namespace {

using core::Result;

// A lane and the request it works on.
struct Assigned {
    Lane lane;
    std::size_t request = 0;
};

class Queue {
  public:
    Queue(std::span<const Request> requests, WorkerProcess::Kind kind, const WorkerOptions& options)
        : requests_(requests), options_(options), kind_(kind) {
        ends_.resize(requests.size());
        kills_.resize(requests.size());
        const std::size_t processors = std::max(1U, std::thread::hardware_concurrency());
        const std::size_t wanted = options.jobs == 0 ? processors : options.jobs;
        lanes_.resize(std::min(wanted, requests.size()));
    }

    Result<std::vector<RequestEnd>> run() {
        while (done_ < requests_.size()) {
            for (Assigned& assigned : lanes_) {
                ISOTICK_TRY(feed(assigned));
            }
            wait();
            if (options_.stop && options_.stop()) {
                return core::fail(core::ErrorCode::io, "interrupted");
            }
            for (Assigned& assigned : lanes_) {
                attend(assigned);
            }
        }
        return std::move(ends_);
    }

  private:
    Result<void> feed(Assigned& assigned) {
        if (assigned.lane.busy()) {
            return {};
        }
        WorkerProcess::Kind kind = kind_;
        if (!again_.empty()) {
            assigned.request = again_.back();
            again_.pop_back();
            kind = WorkerProcess::Kind::fresh;
        } else if (next_ == requests_.size()) {
            return {};
        } else {
            assigned.request = next_++;
        }
        return assigned.lane.start(requests_[assigned.request], kind, options_);
    }

    void wait() {
        files_.clear();
        for (const Assigned& assigned : lanes_) {
            if (assigned.lane.busy()) {
                const auto files = assigned.lane.files();
                files_.insert(files_.end(), files.begin(), files.end());
            }
        }
        wait_to_read(files_, kLookEveryMs);
    }

    void attend(Assigned& assigned) {
        if (!assigned.lane.busy()) {
            return;
        }
        if (auto end = assigned.lane.attend(options_)) {
            settle(assigned.request, std::move(*end));
        }
    }

    void settle(std::size_t request, RequestEnd end) {
        if (end.needs_fresh) {
            kind_ = WorkerProcess::Kind::fresh;  // what loading does once, it does every time
            again_.push_back(request);
            return;
        }
        kills_[request] += end.kills;
        if (end.kills != 0 && kills_[request] == 1) {
            remark("a worker was " + cause_of(end, options_) +
                   ", from outside; its trial runs again in a fresh process");
            again_.push_back(request);
            return;
        }
        end.kills = kills_[request];
        end.fresh = kind_ != WorkerProcess::Kind::fork_server;
        ends_[request] = std::move(end);
        ++done_;
        if (options_.on_progress) {
            options_.on_progress(done_, requests_.size());
        }
    }

    void remark(const std::string& text) const {
        if (options_.on_remark) {
            options_.on_remark(text);
        }
    }

    std::span<const Request> requests_;
    const WorkerOptions& options_;
    WorkerProcess::Kind kind_;
    std::vector<RequestEnd> ends_;
    std::vector<int> kills_;  // of each request, from outside
    std::vector<Assigned> lanes_;
    std::vector<std::size_t> again_;
    std::vector<int> files_;
    std::size_t next_ = 0;
    std::size_t done_ = 0;
};

}  // namespace

std::string cause_of(const RequestEnd& end, const WorkerOptions& options) {
    const std::string what = end.timed_out
                                 ? "no progress for " + std::to_string(options.timeout_ms) + " ms" +
                                       (end.stopped ? " (its parent process was stopped)" : "")
                                 : end.reason;
    const std::string again =
        ", and before that when it was run first: does it kill itself or its parent, or is memory "
        "running out?";
    return what + " " + describe(end.place.activity, end.place.tick) +
           (!end.finished && end.kills > 1 ? again : "");
}

Result<std::vector<RequestEnd>> run_requests(std::span<const Request> requests,
                                             WorkerProcess::Kind kind,
                                             const WorkerOptions& options) {
    return Queue(requests, kind, options).run();
}

}  // namespace isotick::harness
