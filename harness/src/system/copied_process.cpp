#include "copied_process.hpp"

#include "channel.hpp"
#include "posix.hpp"
#include "process.hpp"

#include <isotick/core/detail/try.hpp>

#include <cerrno>
#include <cstdio>
#include <fcntl.h>
#include <unistd.h>

namespace isotick::harness {
namespace {

using core::Result;

constexpr int kLookEveryMs = 50;

// A tampered simulation may ask for any amount of memory: it gets this much beyond what it has.
constexpr std::uint64_t kMoreMemory = std::uint64_t{256} << 20;

constexpr char kComplete = '.';  // ends the answer of a copy that did not just exit

void silence() {
    const int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
    dup2(nowhere, STDOUT_FILENO);
    dup2(nowhere, STDERR_FILENO);
}

[[noreturn]] void run_and_exit(const std::function<std::string(Progress&)>& body,
                               const CopyLimits& limits, Progress& progress, int answer) {
    if (limits.tampered) {
        silence();
        limit_further_memory(kMoreMemory);
    }
    answer_and_exit(answer, progress, [&] { return body(progress) + kComplete; });
}

std::string cause_of(const CopyEnd& end, const CopyLimits& limits, const Progress& progress) {
    const std::string what = end.timed_out
                                 ? "no progress for " + std::to_string(limits.hang_ms) + " ms"
                                 : describe_end(end.process);
    const Place place = progress.place();
    return what + " " + describe(place.activity, place.tick);
}

// Waits for the end of the copy, or ends it; meanwhile what it does shows in `own`. `life` can be
// read when it ends, unless what it has started goes on.
CopyEnd watch_copy(Process copy, int life, std::uint64_t hang_ms, const Progress& its,
                   Progress& own) {
    CopyEnd end;
    HangWatch hang_watch;
    std::uint64_t beats = 0;
    const auto pass_on = [&] {
        if (its.beats != beats) {
            beats = its.beats;
            const Place place = its.place();
            own.enter(place.activity, place.tick);
        }
    };
    while (!end.timed_out && !wait_to_read({&life, 1}, kLookEveryMs) && !copy.has_ended()) {
        pass_on();
        end.timed_out = hang_watch.hangs(beats, hang_ms);
    }
    if (end.timed_out) {
        copy.kill();
    }
    end.process = copy.wait();
    pass_on();
    return end;
}

}  // namespace

Result<CopyEnd> run_in_copy(Progress& progress, const CopyLimits& limits,
                            const std::function<std::string(Progress&)>& body) {
    ISOTICK_TRY_ASSIGN(const auto answer, anonymous_file());
    ISOTICK_TRY_ASSIGN(auto life, make_pipe());
    const auto shared = Shared<Progress>::make();
    if (shared.get() == nullptr) {
        return system_failure("cannot share memory with a copy of the process");
    }
    std::fflush(nullptr);
    ISOTICK_TRY_ASSIGN(auto copy, copy_this_process());
    if (copy.id() == 0) {
        run_and_exit(body, limits, *shared.get(), answer.get());
    }
    life.writing.reset();
    CopyEnd end =
        watch_copy(std::move(copy), life.reading.get(), limits.hang_ms, *shared.get(), progress);
    const int lacked = cut_off_by(*shared.get(), end.process);
    if (!limits.tampered && lacked != 0 && !is_closed(lacked)) {
        errno = lacked;
        return system_failure("a copy of the process cannot answer");
    }
    ISOTICK_TRY_ASSIGN(end.answer, get_content(answer.get()));
    end.finished = end.process.well() && end.answer.ends_with(kComplete);
    if (end.finished) {
        end.answer.pop_back();
    } else {
        end.reason = cause_of(end, limits, *shared.get());
    }
    return end;
}

}  // namespace isotick::harness
