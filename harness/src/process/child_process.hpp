#pragma once
// A process that is a simulation: its life, its stdin and its stdout.

#include "../worker/posix.hpp"

#include <isotick/core/result.hpp>

#include <optional>
#include <string>

#include <sys/types.h>

namespace isotick::harness {

/// A command of the shell that runs, with pipes at its stdin and stdout; its stderr is ours.
/// Movable. The destructor ends it.
class ChildProcess {
  public:
    [[nodiscard]] static core::Result<ChildProcess> start(const std::string& command);

    ~ChildProcess();
    ChildProcess(ChildProcess&& other) noexcept;
    ChildProcess& operator=(ChildProcess&& other) noexcept;

    /// Both without blocking.
    [[nodiscard]] int in() const { return in_.get(); }
    [[nodiscard]] int out() const { return out_.get(); }

    /// Closes its stdin, which asks it to end, and waits until it does; kills it after two seconds.
    /// Returns the status that waitpid gave, none if it had to be killed.
    std::optional<int> end();

  private:
    ChildProcess() = default;

    pid_t process_ = -1;
    FileDescriptor in_;
    FileDescriptor out_;
};

}  // namespace isotick::harness
