#pragma once
// A process that is a simulation: its life, its stdin and its stdout.

#include "process.hpp"

#include <isotick/core/result.hpp>

#include <chrono>
#include <optional>
#include <string>

namespace isotick::harness {

/// A command of the shell that runs, with pipes at its stdin and stdout. Movable. The destructor
/// ends it.
class ChildProcess {
  public:
    /// How long one may take to end when its stdin has.
    static constexpr std::chrono::milliseconds kPatience{2000};

    enum class Kind {
        ours,   ///< its stderr is ours, and it ends with whoever ends us
        apart,  ///< its stderr is a pipe, and what it starts is killed with it, at once
    };
    [[nodiscard]] static core::Result<ChildProcess> start(const std::string& command,
                                                          Kind kind = Kind::ours);

    ~ChildProcess();
    ChildProcess(ChildProcess&& other) noexcept = default;
    ChildProcess& operator=(ChildProcess&& other) noexcept = default;

    /// All without blocking; err() is -1 unless it is apart.
    [[nodiscard]] int in() const { return in_.get(); }
    [[nodiscard]] int out() const { return out_.get(); }
    [[nodiscard]] int err() const { return err_.get(); }

    void close_in() { in_.reset(); }
    void close_err() { err_.reset(); }

    /// Closes its stdin, which asks it to end, and waits until it does; kills it after `patience`.
    /// None if it had to be killed.
    std::optional<ProcessEnd> end(std::chrono::milliseconds patience = kPatience);

  private:
    ChildProcess() = default;

    Process process_;
    Kind kind_ = Kind::ours;
    FileDescriptor in_;
    FileDescriptor out_;
    FileDescriptor err_;
};

}  // namespace isotick::harness
