// A worker's side: runs requests one after another, each in a forked child, or a single one.

#include "../axes/elsewhere.hpp"
#include "../system/channel.hpp"
#include "../system/keeper.hpp"
#include "../system/page.hpp"
#include "../system/posix.hpp"
#include "../system/preload.hpp"
#include "../system/process.hpp"
#include "burst_runner.hpp"
#include "job.hpp"

#include <isotick/core/detail/try.hpp>
#include <isotick/harness/detail/progress.hpp>
#include <isotick/harness/detail/worker.hpp>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <fcntl.h>
#include <new>
#include <unistd.h>
#include <utility>
#include <vector>

namespace isotick::harness {

// A socket over which a process asks the one that made it whether it is still there, before each
// call into a simulation: so the call in which it was killed or cut off is known exactly.

/// Answers `child`, which has the other end for Progress::guard, until it ends or closes its end.
/// Returns at once without a socket.
void answer_until_end(const FileDescriptor& socket, const Process& child);

namespace {

// What the child started may keep its end open, so it is looked at too.
constexpr int kGuardLooksEveryMs = 10;

}  // namespace

void Progress::ask_guard() {
    char answer = 0;
    if (!send_message(guard, kGo) || !receive_message(guard, answer)) {
        cut_off = EPIPE;
        _exit(kBrokenChannel);
    }
}

void answer_until_end(const FileDescriptor& socket, const Process& child) {
    const int file = socket.get();
    char question = 0;
    while (file >= 0) {
        const bool ready = wait_to_read({&file, 1}, kGuardLooksEveryMs);
        const bool asked = ready && receive_message(file, question) && send_message(file, kGo);
        if (!asked && (ready || child.has_ended())) {
            return;
        }
    }
}

// The worker's side: runs requests one after another, each in a forked child (fork server), or a
// single one in this process (fresh). Both are kept by a process that runs nothing foreign.

namespace {

using core::Result;

bool wait_for_request() {
    char go = 0;
    return receive_message(kWorkerSocket, go);
}

bool answer(Progress& progress, const std::string& response) {
    return put_answer(kWorkerResponse, response, progress);
}

class Server {
  public:
    Server(SimulationCatalog& catalog, preload::Page& page, bool fresh)
        : catalog_(catalog),
          progress_(page.progress),
          last_stack_(page.last_stack),
          fresh_(fresh) {}

    int serve() {
        while (wait_for_request()) {
            const auto request = get_content(kWorkerRequest);
            if (!request) {
                progress_.cut_off = static_cast<std::uint32_t>(errno);
                return kBrokenChannel;
            }
            EndOfRequest end;
            const Result<Job> job = parse_job(*request);
            use_locales_in(job ? job->locales : "");
            if (!handle(job, end)) {
                return kBrokenChannel;
            }
            if (!send_end(end)) {
                return kBrokenChannel;
            }
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
            progress_.enter(Activity::loading);
            const auto table = catalog_.open(job.simulation);
            if (!table) {
                answer_and_exit(kWorkerResponse, progress_,
                                [&] { return failed_response(table.error()); });
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
        take_over(std::holds_alternative<HeldTrial>(job.plan));
        answer_and_exit(kWorkerResponse, progress_, [&] {
            std::string response = response_to(job, table);
            std::fflush(nullptr);
            return response;
        });
    }

    std::string response_to(const Job& job, const isotick_simulation_table& table) {
        if (const auto* led = std::get_if<LedPlan>(&job.plan)) {
            return BurstLeader(*led, table, progress_).run();
        }
        if (const auto* held = std::get_if<HeldTrial>(&job.plan)) {
            return run_job(*held, table, progress_,
                           {held->before_frame,
                            [this](const TrialStatistics& so_far) { return hold(so_far); }});
        }
        return run_job(job, table, progress_);
    }

    // This process is the one that runs the request.
    void take_over(bool will_serve) {
        lead_group();
        note_last_stack(last_stack_);
        if (will_serve) {
            adopt_orphans();
        } else {
            close(kWorkerSocket);
            close(kWorkerRequest);
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
            answered = send_end(end);
            if (!answered || !wait_for_request()) {
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
            answer_and_exit(kWorkerResponse, progress_, [] { return held_response(0); });
        }
        return core::fail(core::ErrorCode::usage, "only trials go on from where one waits");
    }

    enum class Copy { parent, child };

    // Forks. The parent returns when the child has ended, with all that it started, and how is in
    // `end`. What the simulation started before stays.
    Result<Copy> copy_process(EndOfRequest& end, bool guarded) {
        std::vector<ProcessId> spared = children();
        ISOTICK_TRY_ASSIGN(auto guard, guarded ? make_sockets() : Result<Ends>());
        ISOTICK_TRY_ASSIGN(auto copy, copy_this_process());
        if (copy.id() == 0) {
            progress_.guard = guard.writing.release();
            return Copy::child;
        }
        guard.writing.reset();
        answer_until_end(guard.reading, copy);
        copy.await_end();
        spared.push_back(copy.id());
        end.left = end_children(spared);  // counted before the rest of its group is killed
        end.process = copy.wait();
        return Copy::parent;
    }

    // False where the parent is gone, or cannot be told that the request has ended.
    bool send_end(const EndOfRequest& end) {
        const bool sent = send_message(kWorkerSocket, end);
        if (!sent) {
            progress_.cut_off = static_cast<std::uint32_t>(errno);
        }
        return sent;
    }

    SimulationCatalog& catalog_;
    Progress& progress_;
    LastStack& last_stack_;
    bool fresh_;
};

// What the process that keeps a worker tells at the end.
void report(const KeptEnd& end) {
    EndOfRequest told;
    told.process = end.process;
    told.left = end.left;
    told.worker_ended = 1;
    told.was_parent = end.is_copy ? 1 : 0;
    told.was_stopped = end.was_stopped ? 1 : 0;
    told.shared_memory = end.shared_memory;
    send_message(kWorkerSocket, told);
}

// Where there is no process to run requests, each is answered with the reason.
int refuse(const core::Error& error) {
    while (wait_for_request()) {
        if (!put_content(kWorkerResponse, failed_response(error)) ||
            !send_message(kWorkerSocket, EndOfRequest())) {
            return kBrokenChannel;
        }
    }
    return 0;
}

}  // namespace

std::optional<int> run_if_worker(std::span<const char* const> arguments,
                                 SimulationCatalog& catalog) {
    if (arguments.size() < 4 || arguments[1] != kWorkerArgument) {
        return std::nullopt;
    }
    leave_no_core_file();
    constexpr std::array kInherited{kWorkerSocket, kWorkerRequest, kWorkerResponse,
                                    kWorkerProgress};
    for (const int inherited : kInherited) {
        fcntl(inherited, F_SETFD, FD_CLOEXEC);  // not for what a simulation starts
    }
    const bool fresh = std::string_view(arguments[2]) == "fresh";
    const auto kept = [&] {
        const preload::Unseen unseen;  // what a keeper asks the system, the simulation does not
        return keep(arguments, kInherited, std::strtoull(arguments[3], nullptr, 10));
    }();
    if (!kept) {
        return refuse(kept.error());
    }
    if (*kept) {
        report(**kept);
        return 0;
    }
    std::signal(SIGXFSZ, SIG_IGN);  // a file that may not grow is an error like a full disk
    const auto page = Shared<preload::Page>::held_in(kWorkerProgress);
    if (page.get() == nullptr) {
        return kBrokenChannel;
    }
    adopt_orphans();
    try {
        return Server(catalog, *page.get(), fresh).serve();
    } catch (const std::bad_alloc&) {  // also in copies of this process
        page.get()->progress.cut_off = ENOMEM;
        std::fflush(nullptr);
        _exit(kBrokenChannel);
    }
}

}  // namespace isotick::harness
