#include "unnamed_file.hpp"

#include <isotick/core/detail/try.hpp>
#include <isotick/replay/detail/new_file.hpp>

#include <cerrno>
#include <cstdio>
#include <fcntl.h>
#include <string>
#include <system_error>
#include <utility>

#if defined(_WIN32)
#include <io.h>
#else
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
// So many unfinished recordings may stand beside the one that they were to replace.
constexpr int kMostUnfinished = 1000;

path temporary_name(const path& name, int number) {
    path temporary = name;
    temporary += ".isotick-partial" + std::to_string(number);
    return temporary;
}

path unfinished_name(const path& name, int number) {
    path unfinished = name;
    unfinished += ".unfinished" + (number == 0 ? std::string() : std::to_string(number));
    return unfinished;
}

tl::unexpected<core::Error> failed(const path& name, const char* what) {
    if (errno == EEXIST) {
        return tl::unexpected(
            core::Error{ErrorCode::usage, "exists already", path_text(name), {}, {}});
    }
    const std::string reason = std::error_code(errno, std::generic_category()).message();
    return tl::unexpected(
        core::Error{ErrorCode::io, std::string(what) + ": " + reason, path_text(name), {}, {}});
}

tl::unexpected<core::Error> cannot_be_named(const path& name) {
    return failed(name, "cannot be given its name");
}

tl::unexpected<core::Error> no_name_left(const path& name, const char* why, const path& first) {
    return tl::unexpected(core::Error{ErrorCode::io,
                                      std::string("cannot be written: ") + why + ", remove " +
                                          path_text(first) + " and those after",
                                      path_text(name),
                                      {},
                                      {}});
}

tl::unexpected<core::Error> no_temporary_left(const path& name) {
    return no_name_left(name, "other processes are writing it; if none does",
                        temporary_name(name, 0));
}

#if defined(_WIN32)

constexpr unsigned kUsualMode = 0666;

unsigned first_mode(const path& /*name*/) {
    return kUsualMode;
}
bool take_rights(const File& /*file*/, const path& /*replaced*/, unsigned& /*rights*/) {
    return true;
}
bool end_partial(const File& /*file*/, unsigned /*rights*/) {
    return true;
}
// A file that a user has made cannot be told from one that a killed process left.
void remove_if_dead(const path& /*temporary*/) {}
bool is_ours(const File& /*file*/) {
    return true;
}
// False if `to` exists.
bool move_to_free_name(const path& from, const path& to) {
    return ::_wrename(from.c_str(), to.c_str()) == 0;
}
// The same while it is open, which Windows does not allow.
bool move_open_file(File& file, const path& from, const path& to, const path& called) {
    if (!file.close()) {
        return false;
    }
    const bool moved = move_to_free_name(from, to);
    const int reason = errno;
    const int again =
        ::_wopen((moved ? to : from).c_str(), _O_WRONLY | _O_APPEND | _O_BINARY | _O_NOINHERIT);
    if (again < 0) {
        return false;
    }
    file = File::own(again, called);
    errno = reason;
    return moved;
}

#else

// What has this bit was made here and is still being written, or was when its process was killed.
// The files of users don't: on a file that is no program it means nothing.
constexpr mode_t kPartial = S_ISVTX;
constexpr mode_t kRights = 0777;
constexpr mode_t kGroupsRights = 0070;
constexpr mode_t kOwnersRights = 0600;

bool is_regular(const path& name, struct stat& status) {
    return ::stat(name.c_str(), &status) == 0 && S_ISREG(status.st_mode);
}

// Nobody may look into a file before it has the rights of the one that it replaces.
unsigned first_mode(const path& name) {
    struct stat replaced {};
    return kPartial | (is_regular(name, replaced) ? kOwnersRights : 0666);
}

// Gives it the owner and rights of what it is to replace, if that is there. `rights` are those that
// it must have in the end.
bool take_rights(const File& file, const path& replaced, unsigned& rights) {
    struct stat old {};
    struct stat own {};
    if (::fstat(file.descriptor(), &own) != 0) {
        return false;
    }
    rights = own.st_mode & kRights;
    if (!is_regular(replaced, old)) {
        return true;
    }
    rights = old.st_mode & kRights;
    if (own.st_uid != old.st_uid || own.st_gid != old.st_gid) {
        // Only root may give files away.
        const bool given = ::fchown(file.descriptor(), old.st_uid, old.st_gid) == 0 ||
                           ::fchown(file.descriptor(), static_cast<uid_t>(-1), old.st_gid) == 0;
        rights &= given ? kRights : kRights & ~kGroupsRights;  // another group's are not ours
    }
    const mode_t meanwhile = rights | kOwnersRights;
    return (own.st_mode & kRights) == meanwhile ||
           ::fchmod(file.descriptor(), kPartial | meanwhile) == 0;
}

// It is no longer being written, or may be found as it is.
bool end_partial(const File& file, unsigned rights) {
    struct stat own {};
    return ::fstat(file.descriptor(), &own) == 0 &&
           ((own.st_mode & (kPartial | kRights)) == rights ||
            ::fchmod(file.descriptor(), rights) == 0);
}

// Removes a temporary whose maker was killed: what is marked as such, and nobody has locked.
void remove_if_dead(const path& temporary) {
    const int descriptor =
        ::open(temporary.c_str(), O_WRONLY | O_NONBLOCK | O_NOFOLLOW | O_CLOEXEC);
    if (descriptor < 0) {
        return;
    }
    struct stat locked {};
    struct stat named {};
    if (::flock(descriptor, LOCK_EX | LOCK_NB) == 0 && ::fstat(descriptor, &locked) == 0 &&
        ::lstat(temporary.c_str(), &named) == 0 && S_ISREG(named.st_mode) &&
        (named.st_mode & kPartial) != 0 && named.st_ino == locked.st_ino) {
        ::unlink(temporary.c_str());
    }
    ::close(descriptor);
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

bool move_open_file(File& /*file*/, const path& from, const path& to, const path& /*called*/) {
    return move_to_free_name(from, to);
}

#endif

#if defined(__linux__)

path place_of(const File& file) {
    return "/proc/" + std::to_string(::getpid()) + "/fd/" + std::to_string(file.descriptor());
}

std::optional<File> create_nameless(const path& name) {
    const path folder = name.has_parent_path() ? name.parent_path() : path(".");
    const int descriptor =
        ::open(folder.c_str(), O_TMPFILE | O_WRONLY | O_CLOEXEC, mode_t{first_mode(name)});
    if (descriptor < 0) {
        return std::nullopt;
    }
    File file = File::own(descriptor, name);
    const bool can_be_named = ::access(place_of(file).c_str(), F_OK) == 0;
    ::flock(descriptor, LOCK_EX | LOCK_NB);  // for when it is beside what it replaces
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

std::vector<std::string> unfinished_beside(const std::string& name) {
    std::vector<std::string> found;
    for (int number = 0; number < kMostUnfinished; ++number) {
        const path unfinished = unfinished_name(path_of(name), number);
        if (kind_of(unfinished) == PathKind::regular) {
            found.push_back(path_text(unfinished));
        }
    }
    return found;
}

UnnamedFile::UnnamedFile(File file, path name, path temporary)
    : file_(std::move(file)), path_(std::move(name)), current_(std::move(temporary)) {}

Result<UnnamedFile> UnnamedFile::create(const path& name) {
    for (int number = 0; number < kMostTemporaries; ++number) {
        remove_if_dead(temporary_name(name, number));
    }
    if (auto file = create_nameless(name)) {
        return UnnamedFile(*std::move(file), name, {}).with_rights();
    }
    return create_beside(name);
}

Result<UnnamedFile> UnnamedFile::create_beside(const path& name) {
    for (int number = 0; number < kMostTemporaries; ++number) {
        path temporary = temporary_name(name, number);
        remove_if_dead(temporary);
        auto file = File::create(temporary, name, first_mode(name));
        if (file && is_ours(*file)) {
            return UnnamedFile(*std::move(file), name, std::move(temporary)).with_rights();
        }
        if (!file && file.error().code != ErrorCode::usage) {
            return tl::unexpected(file.error());
        }
    }
    return no_temporary_left(name);
}

Result<UnnamedFile> UnnamedFile::with_rights() && {
    if (!take_rights(*file_, path_, rights_)) {
        return failed(path_, "cannot be replaced by a file with the same access rights");
    }
    return std::move(*this);
}

UnnamedFile::~UnnamedFile() {
    file_.reset();
    if (!current_.empty() && !stays_) {
        remove_quietly(current_);
    }
}

UnnamedFile::UnnamedFile(UnnamedFile&& other) noexcept
    : file_(std::exchange(other.file_, std::nullopt)),
      path_(std::move(other.path_)),
      current_(std::exchange(other.current_, {})),
      rights_(other.rights_),
      stays_(other.stays_) {}

path UnnamedFile::place() const {
    return current_.empty() ? place_of(*file_) : current_;
}

bool UnnamedFile::is_lost() const {
    return !current_.empty() && file_->is_deleted();
}

bool UnnamedFile::move_to(path name) {
    const bool moved = current_.empty() ? link_nameless(*file_, name)
                                        : move_open_file(*file_, current_, name, path_);
    if (moved) {
        current_ = std::move(name);
    }
    return moved;
}

Result<void> UnnamedFile::appear(bool beside) {
    [[maybe_unused]] const SignalsWait until_it_has_its_name;
    if (!end_partial(*file_, rights_)) {
        return cannot_be_named(path_);
    }
    stays_ = beside ? false : move_to(path_);
    for (int number = 0; beside && !stays_ && number < kMostUnfinished; ++number) {
        stays_ = move_to(unfinished_name(path_, number));
        if (!stays_ && errno != EEXIST) {
            return cannot_be_named(path_);
        }
    }
    if (!stays_) {
        return beside
                   ? no_name_left(path_, "too many were left unfinished", unfinished_name(path_, 0))
                   : cannot_be_named(path_);
    }
    return {};
}

// What has no name cannot replace what has one.
Result<void> UnnamedFile::link_beside() {
    for (int number = 0; number < kMostTemporaries; ++number) {
        if (move_to(temporary_name(path_, number))) {
            return {};
        }
        if (errno != EEXIST) {
            return cannot_be_named(path_);
        }
    }
    return no_temporary_left(path_);
}

Result<void> UnnamedFile::take_name(bool replace) {
    if (current_ == path_) {
        return file_->close();
    }
    // A name that the disk knows must not be that of bytes that it doesn't.
    ISOTICK_TRY(replace ? file_->sync() : Result<void>());
    [[maybe_unused]] const SignalsWait until_it_has_its_name;
    ISOTICK_TRY(current_.empty() && replace ? link_beside() : Result<void>());
    if (!end_partial(*file_, rights_)) {
        return cannot_be_named(path_);
    }
    if (current_.empty()) {
        return link_nameless(*file_, path_) ? file_->close() : cannot_be_named(path_);
    }
    ISOTICK_TRY(file_->close());
    if (replace) {
        ISOTICK_TRY(rename_over(current_, path_));
    } else if (!move_to_free_name(current_, path_)) {
        return cannot_be_named(path_);
    }
    current_.clear();
    return {};
}

}  // namespace isotick::replay
