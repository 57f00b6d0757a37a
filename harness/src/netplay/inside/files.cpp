#include "files.hpp"

#include <cstdarg>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <new>
#include <poll.h>
#include <unistd.h>

#include <sys/ioctl.h>
#include <sys/uio.h>

namespace isotick::harness::netplay {
namespace {

constexpr int kMostFiles = 65'536;
File* table[kMostFiles];  // NOLINT(modernize-avoid-c-arrays)
File* all = nullptr;

void place(int descriptor, File* file) {
    table[descriptor] = file;
    ++file->references;
}

void forget(File* file) {
    for (File** link = &all; *link != nullptr; link = &(*link)->next) {
        if (*link == file) {
            *link = file->next;
            break;
        }
    }
    free(file);
}

}  // namespace

void Queue::put(Message* message) {
    message->next = nullptr;
    (first_ == nullptr ? first_ : last_->next) = message;
    last_ = message;
    bytes_ += message->size;
}

void Queue::drop_first() {
    Message* const message = first_;
    first_ = message->next;
    bytes_ -= message->size;
    free(message);
}

void Queue::drop_all() {
    while (first_ != nullptr) {
        drop_first();
    }
}

Message* make_message(const void* bytes, std::uint32_t size) {
    auto* const message = static_cast<Message*>(malloc(sizeof(Message) + size));
    if (message != nullptr) {
        message->next = nullptr;
        message->size = size;
        message->read = 0;
        message->from = {};
        message->to_address = 0;
        if (size != 0) {
            std::memcpy(message->bytes, bytes, size);
        }
    }
    return message;
}

File* file_of(int descriptor) {
    return descriptor >= 0 && descriptor < kMostFiles && is_peer() ? table[descriptor] : nullptr;
}

bool is_of_peer(int descriptor) {
    return descriptor >= 0 && descriptor < kMostFiles && table[descriptor] != nullptr;
}

File* all_files() {
    return all;
}

// Its number is that of a socket of the system that nobody uses.
int open_file(Type type, bool does_not_block, bool closes_on_exec, File*& file) {
    ISOTICK_NEXT(socket)
    const int flags = (closes_on_exec ? SOCK_CLOEXEC : 0) | (does_not_block ? SOCK_NONBLOCK : 0);
    const int descriptor = next_socket(AF_UNIX, SOCK_DGRAM | flags, 0);
    if (descriptor < 0) {
        return -1;
    }
    void* const memory = descriptor < kMostFiles ? calloc(1, sizeof(File)) : nullptr;
    if (memory == nullptr) {
        ISOTICK_NEXT(close)
        next_close(descriptor);
        return failed(EMFILE);
    }
    file = new (memory) File;
    file->type = type;
    file->does_not_block = does_not_block;
    file->next = all;
    all = file;
    place(descriptor, file);
    return descriptor;
}

int close_file(int descriptor) {
    File* const file = table[descriptor];
    table[descriptor] = nullptr;
    for (File* set = all; set != nullptr; set = set->next) {
        for (Watched** link = &set->watched; *link != nullptr;) {
            Watched* const watched = *link;
            if (watched->file == descriptor) {
                *link = watched->next;
                free(watched);
            } else {
                link = &watched->next;
            }
        }
    }
    if (--file->references == 0) {
        close_socket(*file);
        file->queue.drop_all();
        while (file->watched != nullptr) {
            Watched* const watched = file->watched;
            file->watched = watched->next;
            free(watched);
        }
        forget(file);
    }
    ISOTICK_NEXT(close)
    return next_close(descriptor);
}

namespace {

// `copy` stands for the same file from now on.
int placed(int copy, File* file) {
    if (copy < 0 || file == nullptr) {
        return copy;
    }
    if (copy >= kMostFiles) {
        ISOTICK_NEXT(close)
        next_close(copy);
        return failed(EMFILE);
    }
    place(copy, file);
    return copy;
}

// Before another one takes that number.
void let_go(int descriptor, int of) {
    if (descriptor != of && file_of(descriptor) != nullptr) {
        close_file(descriptor);
    }
}

}  // namespace
}  // namespace isotick::harness::netplay

using namespace isotick::harness::netplay;

ISOTICK_INTERPOSED int close(int descriptor) {
    ISOTICK_NEXT(close)
    return file_of(descriptor) != nullptr ? close_file(descriptor) : next_close(descriptor);
}

ISOTICK_INTERPOSED int dup(int descriptor) noexcept {
    ISOTICK_NEXT(dup)
    return placed(next_dup(descriptor), file_of(descriptor));
}

ISOTICK_INTERPOSED int dup2(int descriptor, int copy) noexcept {
    ISOTICK_NEXT(dup2)
    let_go(copy, descriptor);
    const int result = next_dup2(descriptor, copy);
    return descriptor == copy ? result : placed(result, file_of(descriptor));
}

ISOTICK_INTERPOSED int dup3(int descriptor, int copy, int flags) noexcept {
    ISOTICK_NEXT(dup3)
    let_go(copy, descriptor);
    return placed(next_dup3(descriptor, copy, flags), file_of(descriptor));
}

namespace {

int control(int (*next_fcntl)(int, int, ...), int descriptor, int command, std::va_list list) {
    void* const argument = va_arg(list, void*);
    File* const file = file_of(descriptor);
    const int result = next_fcntl(descriptor, command, argument);
    if (file == nullptr || result < 0) {
        return result;
    }
    if (command == F_SETFL) {
        file->does_not_block = (reinterpret_cast<std::uintptr_t>(argument) & O_NONBLOCK) != 0;
    }
    return command == F_DUPFD || command == F_DUPFD_CLOEXEC ? placed(result, file) : result;
}

}  // namespace

#define ISOTICK_INTERPOSED_FCNTL(function)                                 \
    ISOTICK_INTERPOSED int function(int descriptor, int command, ...) {    \
        static int (*next_fcntl)(int, int, ...) = nullptr;                 \
        if (next_fcntl == nullptr) {                                       \
            next_fcntl = next<int(int, int, ...)>(#function);              \
        }                                                                  \
        std::va_list list;                                                 \
        va_start(list, command);                                           \
        const int result = control(next_fcntl, descriptor, command, list); \
        va_end(list);                                                      \
        return result;                                                     \
    }

ISOTICK_INTERPOSED_FCNTL(fcntl)
ISOTICK_INTERPOSED_FCNTL(fcntl64)

ISOTICK_INTERPOSED int ioctl(int descriptor, unsigned long request, ...) noexcept {
    static int (*next_ioctl)(int, unsigned long, ...) = nullptr;
    if (next_ioctl == nullptr) {
        next_ioctl = next<int(int, unsigned long, ...)>("ioctl");
    }
    std::va_list list;
    va_start(list, request);
    void* const argument = va_arg(list, void*);
    va_end(list);
    File* const file = file_of(descriptor);
    if (file == nullptr) {
        return next_ioctl(descriptor, request, argument);
    }
    if (request == FIONBIO) {
        file->does_not_block = *static_cast<const int*>(argument) != 0;
        return next_ioctl(descriptor, request, argument);
    }
    if (request == FIONREAD) {
        const Message* const first = file->queue.first();
        *static_cast<int*>(argument) = first == nullptr ? 0
                                       : file->type == Type::datagram
                                           ? static_cast<int>(first->size)
                                           : static_cast<int>(file->queue.bytes());
        return 0;
    }
    return failed(ENOTTY);
}

// Reads and writes of files that are the system's too: another thread may wait for them.

namespace {

bool is_ready_for(int descriptor, short events) {
    ISOTICK_NEXT(poll)
    pollfd file{descriptor, events, 0};
    return next_poll(&file, 1, 0) != 0;
}

// Where this would stop the only thread that may run, others run until it does not.
void await_system_file(int descriptor, short events) {
    if (!is_peer() || threads_alive() < 2) {
        return;
    }
    ISOTICK_NEXT(fcntl)
    const int flags = next_fcntl(descriptor, F_GETFL);
    while (flags >= 0 && (flags & O_NONBLOCK) == 0 && !is_ready_for(descriptor, events)) {
        wait_until(kNever, false, system_files());
    }
}

void wake_system_files() {
    if (is_peer() && threads_alive() > 1) {
        wake(system_files());
    }
}

ssize_t read_due(File& file, void* bytes, std::size_t size) {
    if (size < sizeof(std::uint64_t)) {
        return failed<ssize_t>(EINVAL);
    }
    const int error = await(file, POLLIN, file.does_not_block, kNever);
    if (error != 0) {
        return failed<ssize_t>(error);
    }
    const std::uint64_t count = take_due(file);
    std::memcpy(bytes, &count, sizeof count);
    return sizeof count;
}

}  // namespace

ISOTICK_INTERPOSED ssize_t read(int descriptor, void* bytes, size_t size) {
    ISOTICK_NEXT(read)
    File* const file = file_of(descriptor);
    if (file == nullptr) {
        await_system_file(descriptor, POLLIN);
        const ssize_t result = next_read(descriptor, bytes, size);
        wake_system_files();
        return result;
    }
    return file->type == Type::timer ? read_due(*file, bytes, size)
                                     : recv(descriptor, bytes, size, 0);
}

ISOTICK_INTERPOSED ssize_t __read_chk(int descriptor, void* bytes, size_t size, size_t room) {
    return size > room ? (abort(), 0) : read(descriptor, bytes, size);
}

ISOTICK_INTERPOSED ssize_t write(int descriptor, const void* bytes, size_t size) {
    ISOTICK_NEXT(write)
    if (file_of(descriptor) != nullptr) {
        return send(descriptor, bytes, size, 0);
    }
    await_system_file(descriptor, POLLOUT);
    const ssize_t result = next_write(descriptor, bytes, size);
    wake_system_files();
    return result;
}

ISOTICK_INTERPOSED ssize_t readv(int descriptor, const iovec* pieces, int count) {
    ISOTICK_NEXT(readv)
    if (file_of(descriptor) == nullptr) {
        return next_readv(descriptor, pieces, count);
    }
    msghdr message{};
    message.msg_iov = const_cast<iovec*>(pieces);  // NOLINT(cppcoreguidelines-pro-type-const-cast)
    message.msg_iovlen = static_cast<std::size_t>(count);
    return recvmsg(descriptor, &message, 0);
}

ISOTICK_INTERPOSED ssize_t writev(int descriptor, const iovec* pieces, int count) {
    ISOTICK_NEXT(writev)
    if (file_of(descriptor) == nullptr) {
        return next_writev(descriptor, pieces, count);
    }
    msghdr message{};
    message.msg_iov = const_cast<iovec*>(pieces);  // NOLINT(cppcoreguidelines-pro-type-const-cast)
    message.msg_iovlen = static_cast<std::size_t>(count);
    return sendmsg(descriptor, &message, 0);
}
