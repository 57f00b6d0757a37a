// The worker's side: runs requests one after another, each in a forked child (fork server), or a
// single one in this process (fresh).

#include "../peers/live/live_main.hpp"
#include "../platform/channel.hpp"
#include "../platform/pipes.hpp"
#include "../platform/processes/limits.hpp"
#include "../platform/shared_memory.hpp"
#include "../preload/page.hpp"
#include "../preload/preload.hpp"
#include "burst_leader.hpp"
#include "guard.hpp"
#include "job.hpp"

#include <isotick/core/detail/try.hpp>
#include <isotick/harness/detail/worker/worker.hpp>

#include <csignal>
#include <cstdio>
#include <fcntl.h>
#include <unistd.h>
#include <utility>

namespace isotick::harness {
namespace {

using core::Result;

bool wait_for_request() {
    char go = 0;
    return receive_message(kWorkerSocket, go);
}

bool answer(Progress& progress, const std::string& response) {
    if (!put_content(kWorkerResponse, response)) {
        progress.cut_off = 1;
        return false;
    }
    progress.finished = 1;
    return true;
}

class Server {
  public:
    Server(SimulationCatalog& catalog, Progress& progress, bool fresh)
        : catalog_(catalog), progress_(progress), fresh_(fresh) {}

    int serve() {
        while (wait_for_request()) {
            const auto request = get_content(kWorkerRequest);
            if (!request) {
                return kBrokenChannel;
            }
            EndOfRequest end;
            if (!handle(parse_job(*request), end)) {
                return kBrokenChannel;
            }
            send_end(end);
            if (fresh_) {
                return 0;
            }
        }
        return 0;
    }

  private:
    bool handle(const Result<Job>& job, EndOfRequest& end) {
        if (!job) {
            return answer(progress_, failed_response(job.error()));
        }
        if (std::holds_alternative<DropPlan>(job->plan)) {
            return answer(progress_, held_response(0));  // what was held has ended by itself
        }
        if (fresh_ && !has_other_threads()) {
            return run_in_copy(*job, end);
        }
        progress_.enter(Activity::loading);
        const auto table = catalog_.open(job->simulation);
        if (!table) {
            return answer(progress_, failed_response(table.error()));
        }
        if (fresh_) {
            run_and_exit(*job, **table);
        }
        if (has_other_threads()) {
            end.needs_fresh = 1;
            return true;
        }
        const auto copied = copy_process(end, is_guarded(*job));
        if (!copied) {
            return answer(progress_, failed_response(copied.error()));
        }
        if (*copied == Copy::child) {
            run_and_exit(*job, **table);
        }
        return true;
    }

    // In a copy of this process, in which nothing is loaded yet: a simulation may kill its parent.
    bool run_in_copy(const Job& job, EndOfRequest& end) {
        const auto copied = copy_process(end, is_guarded(job));
        if (!copied) {
            return answer(progress_, failed_response(copied.error()));
        }
        if (*copied == Copy::child) {
            progress_.process = own_process_id();
            progress_.enter(Activity::loading);
            const auto table = catalog_.open(job.simulation);
            if (!table) {
                _exit(answer(progress_, failed_response(table.error())) ? 0 : kBrokenChannel);
            }
            run_and_exit(job, **table);
        }
        return true;
    }

    static bool is_guarded(const Job& job) {
        const auto* trial = std::get_if<TrialPlan>(&job.plan);
        return trial != nullptr && trial->one_call_at_a_time;
    }

    // Runs the job in this process and ends it without static destructors: they belong to the
    // server.
    [[noreturn]] void run_and_exit(const Job& job, const isotick_simulation_table& table) {
        limit_memory(job.memory_limit);
        const auto* held = std::get_if<HeldTrial>(&job.plan);
        take_over(held != nullptr);
        if (const auto* led = std::get_if<LedPlan>(&job.plan)) {
            const std::string response = BurstLeader(*led, table, progress_).run();
            std::fflush(nullptr);
            _exit(answer(progress_, response) ? 0 : kBrokenChannel);
        }
        const std::string response =
            held ? run_job(*held, table, progress_,
                           {held->before_frame,
                            [this](const TrialStatistics& so_far) { return hold(so_far); }})
                 : run_job(job, table, progress_);
        std::fflush(nullptr);
        _exit(answer(progress_, response) ? 0 : kBrokenChannel);
    }

    // This process is the one that runs the request.
    void take_over(bool will_serve) {
        lead_group();
        progress_.process = own_process_id();
        if (!will_serve && copied_) {
            close(kWorkerSocket);
        }
    }

    // Serves requests in place of the server that waits for this process to end: each goes on from
    // here in a copy of this process, in which this returns.
    std::optional<BranchPoint::Way> hold(const TrialStatistics& so_far) {
        const preload::Unseen unseen;
        if (fresh_ || has_other_threads()) {
            return std::nullopt;
        }
        bool answered = answer(progress_, held_response(so_far.ticks));
        EndOfRequest end;
        while (answered) {
            send_end(end);
            if (!wait_for_request()) {
                break;
            }
            const auto request = get_content(kWorkerRequest);
            const Result<Job> job = request ? parse_job(*request) : tl::unexpected(request.error());
            auto way = job ? way_of(*job) : tl::unexpected(job.error());
            if (!way) {
                answered = answer(progress_, failed_response(way.error()));
                continue;
            }
            const auto copied = copy_process(end, false);
            if (!copied) {
                answered = answer(progress_, failed_response(copied.error()));
            } else if (*copied == Copy::child) {
                take_over(way->wait_before.has_value());
                return *std::move(way);
            }
        }
        _exit(answered ? 0 : kBrokenChannel);
    }

    // Ends this process where it is to be dropped: its parent answers.
    Result<BranchPoint::Way> way_of(const Job& job) {
        if (const auto* trial = std::get_if<TrialPlan>(&job.plan)) {
            return BranchPoint::Way{*trial, std::nullopt};
        }
        if (const auto* held = std::get_if<HeldTrial>(&job.plan)) {
            return BranchPoint::Way{held->plan, held->before_frame};
        }
        if (std::holds_alternative<DropPlan>(job.plan)) {
            _exit(answer(progress_, held_response(0)) ? 0 : kBrokenChannel);
        }
        return core::fail(core::ErrorCode::usage, "only trials go on from where one waits");
    }

    enum class Copy { parent, child };

    // Forks. The parent returns when the child has ended, and how is in `end`.
    Result<Copy> copy_process(EndOfRequest& end, bool guarded) {
        ISOTICK_TRY_ASSIGN(auto guard, guarded ? make_sockets() : Result<Ends>());
        ISOTICK_TRY_ASSIGN(auto copy, copy_this_process());
        const ProcessId id = copy.id();
        if (id == 0) {
            progress_.guard = guard.writing.release();
            copied_ = true;
            return Copy::child;
        }
        guard.writing.reset();
        answer_until_end(guard.reading, copy);
        end.process = copy.wait();
        kill_group(id);  // what the simulation may have started and left behind
        return Copy::parent;
    }

    void send_end(const EndOfRequest& end) {
        progress_.process = 0;
        (void)send_message(kWorkerSocket, end);
    }

    SimulationCatalog& catalog_;
    Progress& progress_;
    bool fresh_;
    bool copied_ = false;  // this process is a copy of the one that was executed
};

}  // namespace

std::optional<int> run_if_worker(std::span<const char* const> arguments,
                                 SimulationCatalog& catalog) {
    if (arguments.size() != 3 || arguments[1] != kWorkerArgument) {
        return run_if_live(arguments, catalog);
    }
    die_with_parent();
    leave_no_core_file();
    for (const int inherited : {kWorkerSocket, kWorkerRequest, kWorkerResponse, kWorkerProgress}) {
        fcntl(inherited, F_SETFD, FD_CLOEXEC);  // not for what a simulation starts
    }
    std::signal(SIGXFSZ, SIG_IGN);  // a file that may not grow is an error like a full disk
    const auto page = Shared<preload::Page>::held_in(kWorkerProgress);
    if (page.get() == nullptr) {
        return kBrokenChannel;
    }
    const bool fresh = std::string_view(arguments[2]) == "fresh";
    return Server(catalog, page.get()->progress, fresh).serve();
}

}  // namespace isotick::harness
