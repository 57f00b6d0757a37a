#include "fake_process.hpp"

#include "memory_file.hpp"

#include <fcntl.h>
#include <utility>

#include <system/child_process.hpp>

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
    child.process_ = Process(0);
    child.in_ = FileDescriptor(open("/dev/null", O_WRONLY | O_CLOEXEC));
    child.out_ = FileDescriptor(open(fuzz::answers_file().path().c_str(), O_RDONLY | O_CLOEXEC));
    if (kind == Kind::apart) {
        child.err_ = FileDescriptor(open("/dev/null", O_RDONLY | O_CLOEXEC));
    }
    return child;
}

ChildProcess::~ChildProcess() = default;

std::optional<ProcessEnd> ChildProcess::end(std::chrono::milliseconds /*patience*/) {
    in_.reset();
    out_.reset();
    const bool ends = std::exchange(process_, Process()).id() >= 0;
    return ends ? std::optional(ProcessEnd()) : std::nullopt;
}

}  // namespace isotick::harness
