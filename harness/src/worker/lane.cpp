#include "lane.hpp"

#include <isotick/core/detail/try.hpp>

#include <utility>

namespace isotick::harness {

core::Result<void> Lane::start(const Request& request, WorkerProcess::Kind kind,
                               const WorkerOptions& options) {
    const bool is_new = kind != WorkerProcess::Kind::fork_server || !worker_ || !worker_->alive() ||
                        process_ != request.process;
    if (is_new) {
        ISOTICK_TRY_ASSIGN(worker_, WorkerProcess::start(options.executable, kind, request.process,
                                                         options.memory_limit));
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

}  // namespace isotick::harness
