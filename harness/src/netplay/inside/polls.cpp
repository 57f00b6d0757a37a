// Waiting for files: poll, select, epoll, and blocking calls.

#include "files.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <new>
#include <poll.h>
#include <unistd.h>

#include <sys/select.h>

namespace isotick::harness::netplay {
namespace {

char system_files_change = 0;  // its address is what waits for them wait for

short ready_of_stream(const File& file) {
    short events = 0;
    if (file.queue.first() != nullptr || file.other_finished) {
        events |= POLLIN;
    }
    if (file.other_finished) {
        events |= POLLRDHUP;
    }
    if (file.link == Link::open) {
        events |= has_room(file) || file.other_finished ? POLLOUT : 0;
    } else if (file.link == Link::refused) {
        events |= POLLIN | POLLOUT | POLLERR | POLLHUP;
    } else if (file.link == Link::none) {
        events |= POLLOUT | POLLHUP;
    }
    return static_cast<short>(events);
}

bool has_ready(File& set);

}  // namespace

const void* system_files() {
    return &system_files_change;
}

void tell_change(File& file) {
    ++file.changes;
    if (threads_alive() > 1) {
        wake(&file);
        wake(&system_files_change);
    }
}

short ready(File& file) {
    switch (file.type) {
        case Type::datagram:
            return static_cast<short>(file.queue.first() != nullptr ? POLLIN | POLLOUT : POLLOUT);
        case Type::stream:
            return ready_of_stream(file);
        case Type::listener:
            return static_cast<short>(file.accepted != nullptr ? POLLIN : 0);
        case Type::timer:
            return static_cast<short>(file.due <= now() ? POLLIN : 0);
        case Type::set:
            return static_cast<short>(has_ready(file) ? POLLIN : 0);
    }
    return 0;
}

std::int64_t next_change(const File& file) {
    if (file.type == Type::timer) {
        return file.due;
    }
    std::int64_t next = kNever;
    for (const Watched* each = file.watched; each != nullptr; each = each->next) {
        if (const File* const watched = file_of(each->file)) {
            next = std::min(next, next_change(*watched));
        }
    }
    return next;
}

int await(File& file, short events, bool does_not_block, std::int64_t patience) {
    const auto wanted = static_cast<short>(events | POLLERR | POLLHUP);
    if ((ready(file) & wanted) != 0) {
        return 0;
    }
    if (does_not_block) {
        look();
        return (ready(file) & wanted) != 0 ? 0 : EAGAIN;
    }
    const std::int64_t until = moment_after(patience);
    while ((ready(file) & wanted) == 0) {
        if (until <= now()) {
            return EAGAIN;
        }
        rest();
        if (wait_until(std::min(until, next_change(file)), true, &file) == Woken::by_signal) {
            return EINTR;
        }
    }
    return 0;
}

std::uint64_t take_due(File& file) {
    if (file.due > now()) {
        return 0;
    }
    if (file.period == 0) {
        file.due = kNever;
        return 1;
    }
    const std::int64_t count = (now() - file.due) / file.period + 1;
    file.due += count * file.period;
    return static_cast<std::uint64_t>(count);
}

namespace {

/// Files of both kinds, and what of them is ready.
struct Poll {
    pollfd* files;
    nfds_t count;

    // How many are ready.
    [[nodiscard]] int check() const {
        ISOTICK_NEXT(poll)
        bool has_system_files = false;
        for (nfds_t i = 0; i < count; ++i) {
            has_system_files =
                has_system_files || (files[i].fd >= 0 && file_of(files[i].fd) == nullptr);
        }
        int found = 0;
        if (has_system_files) {
            hide_ours();
            found = std::max(0, next_poll(files, count, 0));
            hide_ours();
        }
        for (nfds_t i = 0; i < count; ++i) {
            if (File* const file = file_of(files[i].fd)) {
                files[i].revents =
                    static_cast<short>(ready(*file) & (files[i].events | POLLERR | POLLHUP));
                found += files[i].revents != 0 ? 1 : 0;
            } else if (!has_system_files) {
                files[i].revents = 0;
            }
        }
        return found;
    }

    [[nodiscard]] std::int64_t changes() const {
        std::int64_t next = kNever;
        for (nfds_t i = 0; i < count; ++i) {
            if (const File* const file = file_of(files[i].fd)) {
                next = std::min(next, next_change(*file));
            }
        }
        return next;
    }

    // -1: a signal.
    [[nodiscard]] int wait(std::int64_t until) const {
        while (true) {
            const int found = check();
            if (found > 0) {
                return found;
            }
            if (until <= now()) {
                look();
                return check();
            }
            rest();
            if (wait_until(std::min(until, changes()), true, system_files()) == Woken::by_signal) {
                return failed(EINTR);
            }
        }
    }

  private:
    // The system skips numbers below zero. Twice: as before.
    void hide_ours() const {
        for (nfds_t i = 0; i < count; ++i) {
            const int shown = files[i].fd >= 0 ? files[i].fd : ~files[i].fd;
            files[i].fd = file_of(shown) != nullptr ? ~files[i].fd : files[i].fd;
        }
    }
};

std::int64_t moment_after_ms(int milliseconds) {
    return milliseconds < 0 ? kNever : now() + std::int64_t{milliseconds} * 1'000'000;
}

}  // namespace
}  // namespace isotick::harness::netplay

using namespace isotick::harness::netplay;

ISOTICK_INTERPOSED int poll(pollfd* files, nfds_t count, int patience) {
    ISOTICK_NEXT(poll)
    if (!become_peer()) {
        return next_poll(files, count, patience);
    }
    return Poll{files, count}.wait(moment_after_ms(patience));
}

ISOTICK_INTERPOSED int __poll_chk(pollfd* files, nfds_t count, int patience, size_t room) {
    return count > room / sizeof(pollfd) ? (abort(), 0) : poll(files, count, patience);
}

ISOTICK_INTERPOSED int ppoll(pollfd* files, nfds_t count, const timespec* patience,
                             const sigset_t* signals) {
    ISOTICK_NEXT(ppoll)
    if (!become_peer()) {
        return next_ppoll(files, count, patience, signals);
    }
    return Poll{files, count}.wait(patience == nullptr ? kNever : moment_after(in_ns(*patience)));
}

ISOTICK_INTERPOSED int __ppoll_chk(pollfd* files, nfds_t count, const timespec* patience,
                                   const sigset_t* signals, size_t room) {
    return count > room / sizeof(pollfd) ? (abort(), 0) : ppoll(files, count, patience, signals);
}

namespace {

/// The three sets of select, as poll has them.
struct Selection {
    pollfd files[FD_SETSIZE];  // NOLINT(modernize-avoid-c-arrays)
    nfds_t count = 0;

    void add(int descriptor, short events) {
        if (events != 0) {
            files[count++] = {descriptor, events, 0};
        }
    }
};

bool is_in(int descriptor, const fd_set* set) {
    return set != nullptr && FD_ISSET(descriptor, set);
}

int keep(fd_set* set, const pollfd& file, short events) {
    if (set == nullptr || !FD_ISSET(file.fd, set)) {
        return 0;
    }
    if ((file.revents & events) != 0) {
        return 1;
    }
    FD_CLR(file.fd, set);
    return 0;
}

int select_until(int end, fd_set* reading, fd_set* writing, fd_set* failing, std::int64_t until) {
    Selection selection;
    for (int i = 0; i < std::min(end, static_cast<int>(FD_SETSIZE)); ++i) {
        selection.add(i, static_cast<short>((is_in(i, reading) ? POLLIN : 0) |
                                            (is_in(i, writing) ? POLLOUT : 0) |
                                            (is_in(i, failing) ? POLLPRI : 0)));
    }
    if (Poll{selection.files, selection.count}.wait(until) < 0) {
        return -1;
    }
    int found = 0;
    for (nfds_t i = 0; i < selection.count; ++i) {
        const pollfd& file = selection.files[i];
        found += keep(reading, file, POLLIN | POLLHUP | POLLERR) +
                 keep(writing, file, POLLOUT | POLLERR) + keep(failing, file, POLLPRI);
    }
    return found;
}

}  // namespace

ISOTICK_INTERPOSED int select(int end, fd_set* reading, fd_set* writing, fd_set* failing,
                              timeval* patience) {
    ISOTICK_NEXT(select)
    if (!become_peer()) {
        return next_select(end, reading, writing, failing, patience);
    }
    if (patience == nullptr) {
        return select_until(end, reading, writing, failing, kNever);
    }
    const std::int64_t until =
        moment_after(patience->tv_sec * kNanosecondsPerSecond + patience->tv_usec * 1000);
    const int found = select_until(end, reading, writing, failing, until);
    const timespec left = in_timespec(std::max<std::int64_t>(0, until - now()));
    *patience = {left.tv_sec, left.tv_nsec / 1000};
    return found;
}

ISOTICK_INTERPOSED int pselect(int end, fd_set* reading, fd_set* writing, fd_set* failing,
                               const timespec* patience, const sigset_t* signals) {
    ISOTICK_NEXT(pselect)
    if (!become_peer()) {
        return next_pselect(end, reading, writing, failing, patience, signals);
    }
    return select_until(end, reading, writing, failing,
                        patience == nullptr ? kNever : moment_after(in_ns(*patience)));
}

// Sets of files.

namespace isotick::harness::netplay {
namespace {

std::uint32_t ready_in_set(const Watched& watched) {
    const auto wanted = static_cast<short>((watched.event.events & 0x7fffU) | POLLERR | POLLHUP);
    if (File* const file = file_of(watched.file)) {
        return static_cast<std::uint32_t>(ready(*file) & wanted);
    }
    ISOTICK_NEXT(poll)
    pollfd file{watched.file, wanted, 0};
    return next_poll(&file, 1, 0) > 0 ? static_cast<std::uint32_t>(file.revents) : 0;
}

std::uint64_t changes_of(const Watched& watched) {
    const File* const file = file_of(watched.file);
    return file == nullptr ? 0 : file->changes + 1;
}

std::uint32_t told_of(const Watched& watched) {
    if (watched.is_off) {
        return 0;
    }
    const std::uint32_t events = ready_in_set(watched);
    const bool is_edge = (watched.event.events & EPOLLET) != 0;
    return is_edge && watched.seen == changes_of(watched) && changes_of(watched) != 0 ? 0 : events;
}

bool has_ready(File& set) {
    for (const Watched* each = set.watched; each != nullptr; each = each->next) {
        if (told_of(*each) != 0) {
            return true;
        }
    }
    return false;
}

int take_ready(File& set, epoll_event* events, int most) {
    int found = 0;
    for (Watched* each = set.watched; each != nullptr && found < most; each = each->next) {
        const std::uint32_t ready = told_of(*each);
        if (ready == 0) {
            continue;
        }
        each->seen = changes_of(*each);
        each->is_off = (each->event.events & EPOLLONESHOT) != 0;
        events[found].events = ready;
        events[found++].data = each->event.data;
    }
    // The next time another one is the first.
    if (set.watched != nullptr && set.watched->next != nullptr && found == most) {
        Watched* const first = set.watched;
        set.watched = first->next;
        Watched* last = set.watched;
        while (last->next != nullptr) {
            last = last->next;
        }
        last->next = first;
        first->next = nullptr;
    }
    return found;
}

int wait_for_set(File& set, epoll_event* events, int most, std::int64_t until) {
    if (most <= 0) {
        return failed(EINVAL);
    }
    while (true) {
        const int found = take_ready(set, events, most);
        if (found > 0) {
            return found;
        }
        if (until <= now()) {
            look();
            return take_ready(set, events, most);
        }
        rest();
        if (wait_until(std::min(until, next_change(set)), true, system_files()) ==
            Woken::by_signal) {
            return failed(EINTR);
        }
    }
}

File* set_of(int descriptor) {
    File* const file = file_of(descriptor);
    return file != nullptr && file->type == Type::set ? file : nullptr;
}

}  // namespace
}  // namespace isotick::harness::netplay

ISOTICK_INTERPOSED int epoll_create1(int flags) noexcept {
    ISOTICK_NEXT(epoll_create1)
    File* file = nullptr;
    return become_peer() ? open_file(Type::set, false, (flags & EPOLL_CLOEXEC) != 0, file)
                         : next_epoll_create1(flags);
}

ISOTICK_INTERPOSED int epoll_create(int size) noexcept {
    return size <= 0 ? failed(EINVAL) : epoll_create1(0);
}

ISOTICK_INTERPOSED int epoll_ctl(int descriptor, int operation, int watched,
                                 epoll_event* event) noexcept {
    ISOTICK_NEXT(epoll_ctl)
    File* const set = set_of(descriptor);
    if (set == nullptr) {
        return next_epoll_ctl(descriptor, operation, watched, event);
    }
    Watched** link = &set->watched;
    while (*link != nullptr && (*link)->file != watched) {
        link = &(*link)->next;
    }
    if (operation == EPOLL_CTL_ADD) {
        void* const memory = *link == nullptr ? calloc(1, sizeof(Watched)) : nullptr;
        if (memory == nullptr) {
            return failed(*link == nullptr ? ENOMEM : EEXIST);
        }
        *link = new (memory) Watched{watched, *event, 0, false, nullptr};
        return 0;
    }
    if (*link == nullptr) {
        return failed(ENOENT);
    }
    if (operation == EPOLL_CTL_DEL) {
        Watched* const gone = *link;
        *link = gone->next;
        free(gone);
        return 0;
    }
    (*link)->event = *event;
    (*link)->seen = 0;
    (*link)->is_off = false;
    return 0;
}

ISOTICK_INTERPOSED int epoll_pwait(int descriptor, epoll_event* events, int most, int patience,
                                   const sigset_t* signals) {
    ISOTICK_NEXT(epoll_pwait)
    File* const set = set_of(descriptor);
    return set == nullptr ? next_epoll_pwait(descriptor, events, most, patience, signals)
                          : wait_for_set(*set, events, most, moment_after_ms(patience));
}

ISOTICK_INTERPOSED int epoll_wait(int descriptor, epoll_event* events, int most, int patience) {
    ISOTICK_NEXT(epoll_wait)
    File* const set = set_of(descriptor);
    return set == nullptr ? next_epoll_wait(descriptor, events, most, patience)
                          : wait_for_set(*set, events, most, moment_after_ms(patience));
}

ISOTICK_INTERPOSED int epoll_pwait2(int descriptor, epoll_event* events, int most,
                                    const timespec* patience, const sigset_t* signals) {
    ISOTICK_NEXT(epoll_pwait2)
    File* const set = set_of(descriptor);
    return set == nullptr
               ? next_epoll_pwait2(descriptor, events, most, patience, signals)
               : wait_for_set(*set, events, most,
                              patience == nullptr ? kNever : moment_after(in_ns(*patience)));
}
