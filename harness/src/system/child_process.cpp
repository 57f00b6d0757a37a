#include "child_process.hpp"

#include "posix.hpp"

#include <isotick/core/detail/try.hpp>

#include <unistd.h>
#include <utility>

namespace isotick::harness {

using core::Result;

Result<ChildProcess> ChildProcess::start(const std::string& command, Kind kind) {
    ISOTICK_TRY_ASSIGN(auto requests, make_pipe());
    ISOTICK_TRY_ASSIGN(auto answers, make_pipe());
    ISOTICK_TRY_ASSIGN(auto errors, kind == Kind::apart ? make_pipe() : Result<Ends>());
    if (!do_not_block(requests.writing) || !do_not_block(answers.reading) ||
        (kind == Kind::apart && !do_not_block(errors.reading))) {
        return system_failure("cannot make a pipe");
    }
    Start start{
        .failure = "cannot start a shell",
        .path = "/bin/sh",
        .arguments = {"sh", "-c", command},
        .environment = own_environment(),
        .files = {{requests.reading.get(), STDIN_FILENO}, {answers.writing.get(), STDOUT_FILENO}},
        .leads_group = kind == Kind::apart,
        .usual_signals = true};
    if (kind == Kind::apart) {
        start.files.emplace_back(errors.writing.get(), STDERR_FILENO);
    }
    ChildProcess child;
    ISOTICK_TRY_ASSIGN(child.process_, start_program(std::move(start)));
    child.kind_ = kind;
    child.in_ = std::move(requests.writing);
    child.out_ = std::move(answers.reading);
    child.err_ = std::move(errors.reading);
    return child;
}

ChildProcess::~ChildProcess() {
    end(kind_ == Kind::apart ? std::chrono::milliseconds(0) : kPatience);
}

std::optional<ProcessEnd> ChildProcess::end(std::chrono::milliseconds patience) {
    if (process_.id() < 0) {
        return std::nullopt;
    }
    in_.reset();
    out_.reset();
    const auto ended = process_.wait(patience);
    if (!ended) {
        process_.kill();
        process_.wait();
    }
    return ended;
}

}  // namespace isotick::harness
