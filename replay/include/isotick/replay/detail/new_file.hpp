#pragma once
// A file that appears at its path only when it is complete.

#include <isotick/core/result.hpp>

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

#if !defined(_WIN32)
#include <csignal>
#endif

namespace isotick::replay {

/// True if both paths lead to one file that exists, through links and whatever spelling.
[[nodiscard]] bool is_same_file(const std::string& a, const std::string& b);

/// What killed recorders left of recordings that were to replace the one at `path`: those of
/// `s.isotick.unfinished`, `s.isotick.unfinished1` … that exist, and perhaps one being written.
[[nodiscard]] std::vector<std::string> unfinished_beside(const std::string& path);

/// Being written, it has no name on Linux and most file systems, so that whatever ends the process
/// leaves nothing. Elsewhere it stands beside its path, as in `s.isotick.isotick-partial0`: what a
/// killed process leaves of it, the next NewFile for that path removes. Destroyed without complete,
/// it vanishes. Movable; not thread-safe.
class NewFile {
  public:
    /// Fails with `usage` where `path` exists, unless `overwrite`: then what is there stays until
    /// this file is complete, which then has its access rights, or is written to directly where it
    /// is a device or a pipe. Fails with
    /// `io` where no file can be created.
    [[nodiscard]] static core::Result<NewFile> create(const std::string& path, bool overwrite);
    ~NewFile();
    NewFile(NewFile&&) noexcept;
    NewFile& operator=(NewFile&&) noexcept;

    /// Where it can be read and written until it is complete, by other processes too, while this
    /// object lives.
    [[nodiscard]] std::string place() const;

    /// Writes all of `bytes` behind those written here before.
    [[nodiscard]] core::Result<void> write(std::span<const std::byte> bytes);

    /// Leaves what was written where a recorder would: beside what it was to replace, as
    /// `s.isotick.unfinished`. After it nothing but destruction may follow.
    [[nodiscard]] core::Result<void> leave_beside();

    /// Closes the file and puts it at its path; fails with `usage` where that has been taken
    /// meanwhile and is not to be replaced.
    [[nodiscard]] core::Result<void> complete();

  private:
    struct Target;

    explicit NewFile(std::unique_ptr<Target> target);

    std::unique_ptr<Target> target_;
};

// Steps that belong together, not to be ended by a signal between two of them.

#if defined(_WIN32)

class SignalsWait {};

#else

/// While it lives, no signal to this thread ends the process, SIGKILL excepted.
class SignalsWait {
  public:
    SignalsWait() {
        sigset_t all;
        sigfillset(&all);
        pthread_sigmask(SIG_SETMASK, &all, &before_);
    }
    ~SignalsWait() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
    SignalsWait(const SignalsWait&) = delete;
    SignalsWait& operator=(const SignalsWait&) = delete;

  private:
    sigset_t before_{};
};

#endif

}  // namespace isotick::replay
