// The names of the machine and of the user, and the number of the process. The number differs from
// process to process by itself.

#include "library.hpp"

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <pwd.h>
#include <unistd.h>

#include <sys/utsname.h>

using namespace isotick::harness::preload;

namespace {

// `host-1f3a`, as the trial has it; false where it is as usual.
bool write_name(const char* kind, char* to, std::size_t size) {
    if (settings().names == 0 || size == 0) {
        return false;
    }
    std::snprintf(to, size, "%s-%04x", kind, static_cast<unsigned>(settings().names & 0xFFFFU));
    return true;
}

passwd* renamed(passwd* entry) {
    static char name[16];
    if (entry != nullptr && write_name("user", name, sizeof name)) {
        entry->pw_name = name;
        entry->pw_gecos = name;
    }
    return entry;
}

void note_name(const char* call) {
    note(Source::names, call);
    note_path(AT_FDCWD, kHostNameFile);
}

constexpr const char* kUserVariables[] = {"USER", "LOGNAME"};

}  // namespace

namespace isotick::harness::preload {

void begin_names() {
    ISOTICK_NEXT(getenv)
    char name[16];
    for (const char* variable : kUserVariables) {
        if (next_getenv(variable) != nullptr && write_name("user", name, sizeof name)) {
            setenv(variable, name, 1);
        }
    }
}

}  // namespace isotick::harness::preload

ISOTICK_INTERPOSED char* getenv(const char* variable) noexcept {
    note_variable(variable);
    for (const char* of_user : kUserVariables) {
        if (std::strcmp(variable, of_user) == 0) {
            note(Source::names, "getenv");
        }
    }
    ISOTICK_NEXT(getenv)
    return next_getenv(variable);
}

ISOTICK_INTERPOSED char* secure_getenv(const char* variable) noexcept {
    note_variable(variable);
    ISOTICK_NEXT(secure_getenv)
    return next_secure_getenv(variable);
}

ISOTICK_INTERPOSED int gethostname(char* name, size_t size) noexcept {
    note_name("gethostname");
    ISOTICK_NEXT(gethostname)
    return write_name("host", name, size) ? 0 : next_gethostname(name, size);
}

ISOTICK_INTERPOSED int uname(utsname* names) noexcept {
    note_name("uname");
    ISOTICK_NEXT(uname)
    const int result = next_uname(names);
    if (result == 0) {
        write_name("host", names->nodename, sizeof names->nodename);
    }
    return result;
}

ISOTICK_INTERPOSED passwd* getpwuid(uid_t user) {
    note_name("getpwuid");
    ISOTICK_NEXT(getpwuid)
    return renamed(next_getpwuid(user));
}

ISOTICK_INTERPOSED int getpwuid_r(uid_t user, passwd* entry, char* buffer, size_t size,
                                  passwd** result) {
    note_name("getpwuid_r");
    ISOTICK_NEXT(getpwuid_r)
    const int failed = next_getpwuid_r(user, entry, buffer, size, result);
    if (failed == 0) {
        renamed(*result);
    }
    return failed;
}

ISOTICK_INTERPOSED char* getlogin() {
    note_name("getlogin");
    ISOTICK_NEXT(getlogin)
    static char name[16];
    return write_name("user", name, sizeof name) ? name : next_getlogin();
}

ISOTICK_INTERPOSED int getlogin_r(char* name, size_t size) {
    note_name("getlogin_r");
    ISOTICK_NEXT(getlogin_r)
    return write_name("user", name, size) ? 0 : next_getlogin_r(name, size);
}

ISOTICK_INTERPOSED pid_t getpid() noexcept {
    note(Source::process, "getpid");
    ISOTICK_NEXT(getpid)
    return next_getpid();
}
