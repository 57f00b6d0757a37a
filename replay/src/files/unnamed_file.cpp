#include "unnamed_file.hpp"

#include <isotick/core/detail/try.hpp>

#include <cerrno>
#include <cstdio>
#include <string>
#include <system_error>
#include <utility>

#if !defined(_WIN32)
#include <csignal>
#include <fcntl.h>
#include <unistd.h>

#include <sys/file.h>
#include <sys/stat.h>
#endif

namespace isotick::replay {
namespace {

using core::ErrorCode;
using core::Result;
using std::filesystem::path;

// So many processes may be writing files of one name at a time.
constexpr int kMostTemporaries = 10;

path temporary_name(const path& name, int number) {
    path temporary = name;
    temporary += ".isotick-partial" + std::to_string(number);
    return temporary;
}

tl::unexpected<core::Error> cannot_be_named(const path& name) {
    if (errno == EEXIST) {
        return tl::unexpected(
            core::Error{ErrorCode::usage, "exists already", path_text(name), {}, {}});
    }
    const std::string reason = std::error_code(errno, std::generic_category()).message();
    return tl::unexpected(
        core::Error{ErrorCode::io, "cannot be given its name: " + reason, path_text(name), {}, {}});
}

tl::unexpected<core::Error> no_temporary_left(const path& name) {
    return tl::unexpected(core::Error{ErrorCode::io,
                                      "cannot be written: other processes are writing it; if none "
                                      "does, remove " +
                                          path_text(temporary_name(name, 0)) + " and those after",
                                      path_text(name),
                                      {},
                                      {}});
}

#if defined(_WIN32)

// What is open cannot be removed.
void remove_if_dead(const path& temporary) {
    remove_quietly(temporary);
}
bool is_ours(const File& /*file*/) {
    return true;
}
// False if `to` exists.
bool move_to_free_name(const path& from, const path& to) {
    return ::_wrename(from.c_str(), to.c_str()) == 0;
}
class SignalsWait {};

#else

// Removes a temporary that nobody has locked: its maker was killed. Stays where that cannot be
// told.
void remove_if_dead(const path& temporary) {
    const int descriptor = ::open(temporary.c_str(), O_RDWR | O_NONBLOCK | O_NOFOLLOW | O_CLOEXEC);
    if (descriptor < 0) {
        return;
    }
    struct stat locked {};
    struct stat named {};
    if (::flock(descriptor, LOCK_EX | LOCK_NB) == 0 && ::fstat(descriptor, &locked) == 0 &&
        ::lstat(temporary.c_str(), &named) == 0 && S_ISREG(named.st_mode) &&
        named.st_ino == locked.st_ino) {
        ::unlink(temporary.c_str());
    }
    (void)::close(descriptor);
}

// False if it fell into the hands of remove_if_dead before it was locked.
bool is_ours(const File& file) {
    const bool foreign = ::flock(file.descriptor(), LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK;
    return !foreign && !file.is_deleted();
}

// False if `to` exists. Where there are no hard links, one made at this moment is replaced.
bool move_to_free_name(const path& from, const path& to) {
    if (::link(from.c_str(), to.c_str()) == 0) {
        return ::unlink(from.c_str()) == 0;
    }
    const int reason = errno;
    struct stat ignored {};
    if (reason == EEXIST || ::lstat(to.c_str(), &ignored) == 0) {
        errno = EEXIST;
        return false;
    }
    return ::rename(from.c_str(), to.c_str()) == 0;
}

// While it lives, no signal to this thread ends the process between two steps.
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

#if defined(__linux__)

path place_of(const File& file) {
    return "/proc/" + std::to_string(::getpid()) + "/fd/" + std::to_string(file.descriptor());
}

std::optional<File> create_nameless(const path& name) {
    const path folder = name.has_parent_path() ? name.parent_path() : path(".");
    const int descriptor = ::open(folder.c_str(), O_TMPFILE | O_WRONLY | O_CLOEXEC, 0666);
    if (descriptor < 0) {
        return std::nullopt;
    }
    File file = File::own(descriptor, name);
    const bool can_be_named = ::access(place_of(file).c_str(), F_OK) == 0;
    (void)::flock(descriptor, LOCK_EX | LOCK_NB);  // for when it is beside what it replaces
    return can_be_named ? std::optional(std::move(file)) : std::nullopt;
}

bool link_nameless(const File& file, const path& name) {
    return ::linkat(AT_FDCWD, place_of(file).c_str(), AT_FDCWD, name.c_str(), AT_SYMLINK_FOLLOW) ==
           0;
}

#else

path place_of(const File& /*file*/) {
    return {};
}
std::optional<File> create_nameless(const path& /*name*/) {
    return std::nullopt;
}
bool link_nameless(const File& /*file*/, const path& /*name*/) {
    return false;
}

#endif

}  // namespace

UnnamedFile::UnnamedFile(File file, path name, path temporary)
    : file_(std::move(file)), path_(std::move(name)), temporary_(std::move(temporary)) {}

Result<UnnamedFile> UnnamedFile::create(const path& name) {
    for (int number = 0; number < kMostTemporaries; ++number) {
        remove_if_dead(temporary_name(name, number));
    }
    if (auto file = create_nameless(name)) {
        return UnnamedFile(*std::move(file), name, {});
    }
    return create_beside(name);
}

Result<UnnamedFile> UnnamedFile::create_beside(const path& name) {
    for (int number = 0; number < kMostTemporaries; ++number) {
        path temporary = temporary_name(name, number);
        remove_if_dead(temporary);
        auto file = File::create(temporary, name);
        if (file && is_ours(*file)) {
            return UnnamedFile(*std::move(file), name, std::move(temporary));
        }
        if (!file && file.error().code != ErrorCode::usage) {
            return tl::unexpected(file.error());
        }
    }
    return no_temporary_left(name);
}

UnnamedFile::~UnnamedFile() {
    file_.reset();
    if (!temporary_.empty()) {
        remove_quietly(temporary_);
    }
}

UnnamedFile::UnnamedFile(UnnamedFile&& other) noexcept
    : file_(std::exchange(other.file_, std::nullopt)),
      path_(std::move(other.path_)),
      temporary_(std::exchange(other.temporary_, {})) {}

path UnnamedFile::place() const {
    return temporary_.empty() ? place_of(*file_) : temporary_;
}

bool UnnamedFile::is_lost() const {
    return !temporary_.empty() && file_->is_deleted();
}

// What has no name cannot replace what has one.
Result<void> UnnamedFile::link_beside() {
    for (int number = 0; number < kMostTemporaries; ++number) {
        path temporary = temporary_name(path_, number);
        if (link_nameless(*file_, temporary)) {
            temporary_ = std::move(temporary);
            return {};
        }
        if (errno != EEXIST) {
            return cannot_be_named(path_);
        }
    }
    return no_temporary_left(path_);
}

Result<void> UnnamedFile::take_name(bool replace) {
    if (temporary_.empty() && !replace) {
        return link_nameless(*file_, path_) ? file_->close() : cannot_be_named(path_);
    }
    // A name that the disk knows must not be that of bytes that it doesn't.
    ISOTICK_TRY(replace ? file_->sync() : Result<void>());
    [[maybe_unused]] const SignalsWait until_it_has_its_name;
    ISOTICK_TRY(temporary_.empty() ? link_beside() : Result<void>());
    ISOTICK_TRY(file_->close());
    if (replace) {
        ISOTICK_TRY(rename_over(temporary_, path_));
    } else if (!move_to_free_name(temporary_, path_)) {
        return cannot_be_named(path_);
    }
    temporary_.clear();
    return {};
}

}  // namespace isotick::replay
