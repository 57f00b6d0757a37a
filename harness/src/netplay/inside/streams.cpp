// TCP: a stream of bytes each way that loses nothing, and takes as long as its link does.

#include "files.hpp"

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <poll.h>

namespace isotick::harness::netplay {
namespace {

constexpr std::uint32_t kMostPiece = 16'384;
constexpr std::uint32_t kMostOnItsWay = 212'992;

PacketHead head_of(const File& file, Kind kind, std::uint32_t size = 0) {
    PacketHead head;
    head.size = size;
    head.peer = file.other_peer;
    head.from_port = file.own.port;
    head.to_port = file.other.port;
    head.kind = kind;
    return head;
}

void send_piece(const PacketHead& head, const void* bytes) {
    if (head.peer == page()->self) {
        deliver_here(head, {own_address(), head.from_port}, bytes);
    } else {
        send_packet(head, bytes);
    }
}

File* connection(const PacketHead& head) {
    for (File* each = all_files(); each != nullptr; each = each->next) {
        if (each->type == Type::stream && each->own.port == head.to_port &&
            each->other.port == head.from_port && each->other_peer == head.peer) {
            return each;
        }
    }
    return nullptr;
}

File* listener(const PacketHead& head) {
    for (File* each = all_files(); each != nullptr; each = each->next) {
        if (each->type == Type::listener && each->own.port == head.to_port) {
            return each;
        }
    }
    return nullptr;
}

void answer(const PacketHead& to, Kind kind) {
    PacketHead head;
    head.peer = to.peer;
    head.from_port = to.to_port;
    head.to_port = to.from_port;
    head.kind = kind;
    send_piece(head, nullptr);
}

// Its descriptor is there before it is accepted.
void take_connection(File& file, const PacketHead& head) {
    File* taken = nullptr;
    const int descriptor = open_file(Type::stream, false, true, taken);
    if (descriptor < 0) {
        answer(head, Kind::refused);
        return;
    }
    taken->family = file.family;
    taken->own = {own_address(), head.to_port};
    taken->other = {head.peer == page()->self ? own_address() : shown_address(head.peer),
                    head.from_port};
    taken->other_peer = head.peer;
    taken->link = Link::open;
    taken->descriptor = descriptor;
    File** last = &file.accepted;
    while (*last != nullptr) {
        last = &(*last)->after;
    }
    *last = taken;
    tell_change(file);
    answer(head, Kind::accepted);
}

void take_piece(File& file, const PacketHead& head, const unsigned char* bytes) {
    tell_change(file);
    switch (head.kind) {
        case Kind::accepted:
            file.link = Link::open;
            break;
        case Kind::refused:
            file.link = Link::refused;
            break;
        case Kind::finished:
            file.other_finished = true;
            break;
        case Kind::taken: {
            std::uint32_t taken = 0;
            std::memcpy(&taken, bytes, sizeof taken);
            file.on_its_way -= std::min(file.on_its_way, taken);
            break;
        }
        default:
            if (Message* const message = make_message(bytes, head.size)) {
                file.queue.put(message);
            }
            break;
    }
}

}  // namespace

void receive_of_stream(const PacketHead& head, const unsigned char* bytes) {
    if (head.kind == Kind::connect) {
        if (File* const file = listener(head)) {
            take_connection(*file, head);
        } else {
            answer(head, Kind::refused);
        }
    } else if (File* const file = connection(head)) {
        take_piece(*file, head, bytes);
    }
}

int connect_stream(File& file, const Place& place) {
    if (file.link == Link::open) {
        return failed(EISCONN);
    }
    if (file.link == Link::connecting) {
        return failed(EALREADY);
    }
    bind_somewhere(file);
    const Target target = target_of(place, Type::stream);
    if (target.what == Target::What::nowhere || target.what == Target::What::everyone) {
        return failed(ENETUNREACH);
    }
    file.other = place;
    file.other_peer = target.what == Target::What::here ? page()->self : target.peer;
    file.link = Link::connecting;
    send_piece(head_of(file, Kind::connect), nullptr);
    if (file.does_not_block && file.link == Link::connecting) {
        return failed(EINPROGRESS);
    }
    const int error = await(file, POLLOUT, false, kNever);
    if (error != 0) {
        return failed(error);
    }
    if (file.link == Link::refused) {
        file.link = Link::none;
        return failed(ECONNREFUSED);
    }
    return 0;
}

ssize_t send_to_stream(File& file, const void* bytes, std::size_t size, int flags) {
    if (file.link != Link::open) {
        return failed<ssize_t>(file.link == Link::connecting ? EAGAIN : ENOTCONN);
    }
    if (file.own_finished || file.other_finished) {
        if ((flags & MSG_NOSIGNAL) == 0) {
            raise(SIGPIPE);
        }
        return failed<ssize_t>(EPIPE);
    }
    const auto* const all = static_cast<const unsigned char*>(bytes);
    const bool at_once = file.does_not_block || (flags & MSG_DONTWAIT) != 0;
    std::size_t at = 0;
    while (at < size) {
        const int error = await(file, POLLOUT, at_once, kNever);
        if (error != 0 || file.other_finished) {
            return at > 0 ? static_cast<ssize_t>(at) : failed<ssize_t>(error != 0 ? error : EPIPE);
        }
        const auto piece = static_cast<std::uint32_t>(
            std::min<std::size_t>({size - at, kMostPiece, kMostOnItsWay - file.on_its_way}));
        file.on_its_way += piece;
        send_piece(head_of(file, Kind::data, piece), all + at);
        at += piece;
    }
    return static_cast<ssize_t>(size);
}

bool has_room(const File& file) {
    return file.on_its_way < kMostOnItsWay;
}

namespace {

// As much as there is, at most `size`.
std::size_t take_bytes(File& file, unsigned char* bytes, std::size_t size, bool peek) {
    std::size_t taken = 0;
    Message* message = file.queue.first();
    while (message != nullptr && taken < size) {
        const std::size_t piece =
            std::min<std::size_t>(message->size - message->read, size - taken);
        std::memcpy(bytes + taken, message->bytes + message->read, piece);
        taken += piece;
        if (peek) {
            message = message->next;
            continue;
        }
        message->read += static_cast<std::uint32_t>(piece);
        if (message->read == message->size) {
            file.queue.drop_first();
        }
        message = file.queue.first();
    }
    return taken;
}

// The other side may send as much again. It is told now and then.
void tell_taken(File& file, std::uint32_t taken) {
    file.untold += taken;
    if (file.untold >= kMostPiece || (file.untold > 0 && file.queue.first() == nullptr)) {
        send_piece(head_of(file, Kind::taken, sizeof file.untold), &file.untold);
        file.untold = 0;
    }
}

}  // namespace

ssize_t receive_from_stream(File& file, void* bytes, std::size_t size, int flags) {
    if (file.link == Link::none || file.link == Link::connecting) {
        return failed<ssize_t>(ENOTCONN);
    }
    const bool at_once = file.does_not_block || (flags & MSG_DONTWAIT) != 0;
    std::size_t taken = 0;
    do {
        const int error = await(file, POLLIN, at_once, file.receive_patience);
        if (error != 0) {
            return taken > 0 ? static_cast<ssize_t>(taken) : failed<ssize_t>(error);
        }
        const std::size_t piece = take_bytes(file, static_cast<unsigned char*>(bytes) + taken,
                                             size - taken, (flags & MSG_PEEK) != 0);
        if (piece == 0) {
            break;  // the other side has finished
        }
        taken += piece;
        tell_taken(file, (flags & MSG_PEEK) != 0 ? 0 : static_cast<std::uint32_t>(piece));
    } while ((flags & MSG_WAITALL) != 0 && (flags & MSG_PEEK) == 0 && taken < size);
    return static_cast<ssize_t>(taken);
}

void close_socket(File& file) {
    if (file.type == Type::stream && file.link == Link::open && !file.own_finished) {
        send_piece(head_of(file, Kind::finished), nullptr);
        file.own_finished = true;
    }
    while (file.accepted != nullptr) {
        File* const waiting = file.accepted;
        file.accepted = waiting->after;
        close_file(waiting->descriptor);
    }
}

}  // namespace isotick::harness::netplay

using namespace isotick::harness::netplay;

ISOTICK_INTERPOSED int listen(int descriptor, int most) noexcept {
    ISOTICK_NEXT(listen)
    File* const file = file_of(descriptor);
    if (file == nullptr) {
        return next_listen(descriptor, most);
    }
    if (file->type != Type::stream && file->type != Type::listener) {
        return failed(EOPNOTSUPP);
    }
    bind_somewhere(*file);
    file->type = Type::listener;
    return 0;
}

ISOTICK_INTERPOSED int accept4(int descriptor, sockaddr* address, socklen_t* size, int flags) {
    ISOTICK_NEXT(accept4)
    File* const file = file_of(descriptor);
    if (file == nullptr) {
        return next_accept4(descriptor, address, size, flags);
    }
    if (file->type != Type::listener) {
        return failed(EINVAL);
    }
    const int error = await(*file, POLLIN, file->does_not_block, file->receive_patience);
    if (error != 0) {
        return failed(error);
    }
    File* const taken = file->accepted;
    file->accepted = taken->after;
    taken->after = nullptr;
    taken->does_not_block = (flags & SOCK_NONBLOCK) != 0;
    write_address(taken->other, *taken, address, size);
    return taken->descriptor;
}

ISOTICK_INTERPOSED int accept(int descriptor, sockaddr* address, socklen_t* size) {
    ISOTICK_NEXT(accept)
    return file_of(descriptor) == nullptr ? next_accept(descriptor, address, size)
                                          : accept4(descriptor, address, size, 0);
}

ISOTICK_INTERPOSED int shutdown(int descriptor, int how) noexcept {
    ISOTICK_NEXT(shutdown)
    File* const file = file_of(descriptor);
    if (file == nullptr) {
        return next_shutdown(descriptor, how);
    }
    if (file->other.port == 0) {
        return failed(ENOTCONN);
    }
    if (file->type == Type::stream && how != SHUT_RD && !file->own_finished) {
        send_piece(head_of(*file, Kind::finished), nullptr);
        file->own_finished = true;
    }
    if (how != SHUT_WR) {
        file->other_finished = true;
        tell_change(*file);
    }
    return 0;
}
