#include "lane.hpp"

#include <isotick/core/detail/try.hpp>

#include <utility>

namespace isotick::harness {

core::Result<void> Lane::start(const Request& request, WorkerProcess::Kind kind,
                               const WorkerOptions& options) {
    const bool is_new = kind != WorkerProcess::Kind::fork_server || !worker_ || !worker_->alive() ||
                        process_ != request.process;
    if (is_new) {
        ISOTICK_TRY_ASSIGN(worker_,
                           WorkerProcess::start(options.executable, kind, request.process));
        kind_ = kind;
        process_ = request.process;
    }
    busy_ = true;
    killed_ = false;
    beats_ = worker_->beats();
    moved_ = Clock::now();
    auto submitted = worker_->submit(request.bytes);
    if (submitted || is_new) {
        return submitted;
    }
    worker_.reset();  // it was killed while it had nothing to do
    return start(request, kind, options);
}

std::array<pollfd, 2> Lane::polls() const {
    return {{{worker_->socket(), POLLIN, 0}, {worker_->output(), POLLIN, 0}}};
}

std::optional<RequestEnd> Lane::attend(const WorkerOptions& options) {
    worker_->drain_output();
    if (auto end = worker_->take_end()) {
        end->timed_out = killed_ && !end->finished;
        end->kills = end->timed_out ? 0 : end->kills;
        busy_ = false;
        if (kind_ != WorkerProcess::Kind::fork_server) {
            stop();
        }
        return end;
    }
    const auto now = Clock::now();
    if (const std::uint64_t beats = worker_->beats(); beats != beats_) {
        beats_ = beats;
        moved_ = now;
    }
    const auto allowed = std::chrono::milliseconds(options.timeout_ms);
    if (options.timeout_ms != 0 && !killed_ && now - moved_ > allowed) {
        killed_ = true;
        worker_->kill_request();
    }
    return std::nullopt;
}

void Lane::stop() {
    worker_.reset();
    busy_ = false;
}

}  // namespace isotick::harness
