#include "fake_process.hpp"

#include "memory_file.hpp"

#include <fcntl.h>
#include <utility>

#include <platform/child_process.hpp>

namespace isotick::fuzz {
namespace {

MemoryFile& answers_file() {
    static MemoryFile file;
    return file;
}

}  // namespace

void set_answers(Input answers) {
    answers_file().fill(answers);
}

}  // namespace isotick::fuzz

namespace isotick::harness {

core::Result<ChildProcess> ChildProcess::start(const std::string& /*command*/, Kind kind) {
    ChildProcess child;
    child.kind_ = kind;
    child.process_ = 0;
    child.in_ = FileDescriptor(open("/dev/null", O_WRONLY | O_CLOEXEC));
    child.out_ = FileDescriptor(open(fuzz::answers_file().path().c_str(), O_RDONLY | O_CLOEXEC));
    if (kind == Kind::apart) {
        child.err_ = FileDescriptor(open("/dev/null", O_RDONLY | O_CLOEXEC));
    }
    return child;
}

ChildProcess::~ChildProcess() = default;

ChildProcess::ChildProcess(ChildProcess&& other) noexcept
    : process_(std::exchange(other.process_, -1)),
      kind_(other.kind_),
      in_(std::move(other.in_)),
      out_(std::move(other.out_)),
      err_(std::move(other.err_)) {}

ChildProcess& ChildProcess::operator=(ChildProcess&& other) noexcept {
    std::swap(process_, other.process_);
    std::swap(kind_, other.kind_);
    std::swap(in_, other.in_);
    std::swap(out_, other.out_);
    std::swap(err_, other.err_);
    return *this;
}

std::optional<int> ChildProcess::end(std::chrono::milliseconds /*patience*/) {
    in_.reset();
    out_.reset();
    return std::exchange(process_, -1) < 0 ? std::nullopt : std::optional(0);
}

}  // namespace isotick::harness
