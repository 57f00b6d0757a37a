// Sockets: making them, their addresses and options, sending and receiving datagrams.

#include "files.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <poll.h>

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/time.h>
#include <sys/uio.h>

namespace isotick::harness::netplay {
namespace {

// What Linux counts for a packet besides its bytes.
constexpr std::size_t kOverhead = 768;

bool hears(const File& file, const PacketHead& head, const Place& from) {
    return file.type == Type::datagram && file.own.port == head.to_port &&
           (file.other.port == 0 ||
            (file.other.port == from.port &&
             (file.other_peer == head.peer || file.other.address == from.address)));
}

// The one that is connected to the sender goes before the others.
File* hearer(const PacketHead& head, const Place& from) {
    File* found = nullptr;
    for (File* each = all_files(); each != nullptr; each = each->next) {
        if (hears(*each, head, from) && (found == nullptr || each->other.port != 0)) {
            found = each;
        }
    }
    return found;
}

void put_datagram(const PacketHead& head, const Place& from, std::uint32_t to, const void* bytes) {
    File* const file = hearer(head, from);
    if (file == nullptr) {
        ++page()->unheard;
        return;
    }
    std::size_t queued = file->queue.bytes() + head.size + kOverhead;
    for (const Message* each = file->queue.first(); each != nullptr; each = each->next) {
        queued += kOverhead;
    }
    Message* const message = queued > file->most_queued ? nullptr : make_message(bytes, head.size);
    if (message == nullptr) {
        ++page()->overrun;
        return;
    }
    message->from = from;
    message->to_address = to;
    file->queue.put(message);
    tell_change(*file);
}

}  // namespace

void receive_datagram(const PacketHead& head, const unsigned char* bytes) {
    put_datagram(head, {shown_address(head.peer), head.from_port}, own_address(), bytes);
}

bool take_received() {
    Packets& received = page()->received;
    const bool is_any = received.used != 0;
    for (std::uint32_t at = 0; at < received.used;) {
        PacketHead head;
        std::memcpy(&head, &received.bytes[at], sizeof head);
        const unsigned char* const bytes = &received.bytes[at + sizeof head];
        if (head.kind == Kind::datagram) {
            receive_datagram(head, bytes);
        } else {
            receive_of_stream(head, bytes);
        }
        at += static_cast<std::uint32_t>(sizeof head) + padded(head.size);
    }
    received.used = 0;
    return is_any;
}

void deliver_here(const PacketHead& head, const Place& from, const void* bytes) {
    if (head.kind == Kind::datagram) {
        put_datagram(head, from, from.address, bytes);
    } else {
        receive_of_stream(head, static_cast<const unsigned char*>(bytes));
    }
}

namespace {

File* socket_of(int descriptor) {
    File* const file = file_of(descriptor);
    if (file == nullptr && is_of_peer(descriptor)) {
        refuse(Refused::second_process);
    }
    return file == nullptr || file->type == Type::timer || file->type == Type::set ? nullptr : file;
}

ssize_t send_datagram(File& file, const Place& place, const void* bytes, std::size_t size) {
    if (size > Packets::kMostBytes) {
        return failed<ssize_t>(EMSGSIZE);
    }
    bind_somewhere(file);
    const Target target = target_of(place, file.type);
    PacketHead head;
    head.size = static_cast<std::uint32_t>(size);
    head.peer = target.what == Target::What::everyone ? kEveryone : target.peer;
    head.from_port = file.own.port;
    head.to_port = place.port;
    if (target.what == Target::What::here || target.what == Target::What::everyone) {
        PacketHead own = head;
        own.peer = page()->self;
        const bool by_loopback = place.address >> 24U == 127U || place.address == 0;
        deliver_here(
            own, {by_loopback ? place.address | 0x7f000001U : own_address(), file.own.port}, bytes);
    }
    if (target.what == Target::What::peer || target.what == Target::What::everyone) {
        send_packet(head, bytes);
    }
    return static_cast<ssize_t>(size);
}

ssize_t send_by(File& file, const Place* place, const void* bytes, std::size_t size, int flags) {
    if (file.type == Type::stream) {
        return send_to_stream(file, bytes, size, flags);
    }
    if (file.type == Type::listener) {
        return failed<ssize_t>(ENOTCONN);
    }
    if (place == nullptr && file.other.port == 0) {
        return failed<ssize_t>(EDESTADDRREQ);
    }
    return send_datagram(file, place == nullptr ? file.other : *place, bytes, size);
}

/// What recvmsg tells besides the bytes.
struct Received {
    std::size_t size = 0;  ///< of the whole datagram
    Place from;
    std::uint32_t to_address = 0;
    bool truncated = false;
};

ssize_t receive_by(File& file, void* bytes, std::size_t room, int flags, Received& received) {
    if (file.type == Type::stream) {
        return receive_from_stream(file, bytes, room, flags);
    }
    if (file.type == Type::listener) {
        return failed<ssize_t>(ENOTCONN);
    }
    if ((flags & MSG_ERRQUEUE) != 0) {
        return failed<ssize_t>(EAGAIN);
    }
    const bool at_once = file.does_not_block || (flags & MSG_DONTWAIT) != 0;
    const int error = await(file, POLLIN, at_once, file.receive_patience);
    if (error != 0) {
        return failed<ssize_t>(error);
    }
    const Message& first = *file.queue.first();
    received = {first.size, first.from, first.to_address, first.size > room};
    const std::size_t size = std::min<std::size_t>(first.size, room);
    if (size != 0) {
        std::memcpy(bytes, first.bytes, size);
    }
    const std::size_t told = (flags & MSG_TRUNC) != 0 ? first.size : size;
    if ((flags & MSG_PEEK) == 0) {
        file.queue.drop_first();
    }
    return static_cast<ssize_t>(told);
}

// The bytes of all pieces in one. Null without memory; to be freed.
unsigned char* gathered(const msghdr& message, std::size_t& size) {
    size = 0;
    for (std::size_t i = 0; i < message.msg_iovlen; ++i) {
        size += message.msg_iov[i].iov_len;
    }
    auto* const bytes = static_cast<unsigned char*>(malloc(size + 1));
    std::size_t at = 0;
    for (std::size_t i = 0; bytes != nullptr && i < message.msg_iovlen; ++i) {
        if (message.msg_iov[i].iov_len != 0) {
            std::memcpy(bytes + at, message.msg_iov[i].iov_base, message.msg_iov[i].iov_len);
        }
        at += message.msg_iov[i].iov_len;
    }
    return bytes;
}

void scatter(const unsigned char* bytes, std::size_t size, const msghdr& message) {
    std::size_t at = 0;
    for (std::size_t i = 0; i < message.msg_iovlen && at < size; ++i) {
        const std::size_t part = std::min(message.msg_iov[i].iov_len, size - at);
        std::memcpy(message.msg_iov[i].iov_base, bytes + at, part);
        at += part;
    }
}

void tell_target(const Received& received, const File& file, msghdr& message) {
    const bool is_wanted =
        file.tells_target && received.to_address != 0 && message.msg_control != nullptr &&
        message.msg_controllen >= CMSG_SPACE(sizeof(in_pktinfo)) && file.family == AF_INET;
    if (!is_wanted) {
        message.msg_controllen = 0;
        return;
    }
    cmsghdr* const head = CMSG_FIRSTHDR(&message);
    head->cmsg_level = IPPROTO_IP;
    head->cmsg_type = IP_PKTINFO;
    head->cmsg_len = CMSG_LEN(sizeof(in_pktinfo));
    in_pktinfo info{};
    info.ipi_ifindex = 2;
    info.ipi_spec_dst.s_addr = info.ipi_addr.s_addr = htonl(received.to_address);
    std::memcpy(CMSG_DATA(head), &info, sizeof info);
    message.msg_controllen = CMSG_SPACE(sizeof(in_pktinfo));
}

}  // namespace
}  // namespace isotick::harness::netplay

using namespace isotick::harness::netplay;

ISOTICK_INTERPOSED int socket(int family, int type, int protocol) noexcept {
    ISOTICK_NEXT(socket)
    constexpr int kFlags = SOCK_NONBLOCK | SOCK_CLOEXEC;
    const int kind = type & ~kFlags;
    if (page() == nullptr || family == AF_UNIX || family == AF_NETLINK) {
        return next_socket(family, type, protocol);
    }
    const bool is_internet = family == AF_INET || family == AF_INET6;
    const bool is_datagram = kind == SOCK_DGRAM && (protocol == 0 || protocol == IPPROTO_UDP);
    const bool is_stream = kind == SOCK_STREAM && (protocol == 0 || protocol == IPPROTO_TCP);
    if (!is_internet || (!is_datagram && !is_stream)) {
        refuse(kind == SOCK_RAW || family == AF_PACKET ? Refused::raw_socket
                                                       : Refused::other_protocol);
        return failed(kind == SOCK_RAW || family == AF_PACKET ? EPERM : EPROTONOSUPPORT);
    }
    if (!become_peer()) {
        return failed(EPERM);
    }
    File* file = nullptr;
    const int descriptor = open_file(is_stream ? Type::stream : Type::datagram,
                                     (type & SOCK_NONBLOCK) != 0, (type & SOCK_CLOEXEC) != 0, file);
    if (descriptor >= 0) {
        file->family = family;
    }
    return descriptor;
}

ISOTICK_INTERPOSED int bind(int descriptor, const sockaddr* address, socklen_t size) noexcept {
    ISOTICK_NEXT(bind)
    File* const file = socket_of(descriptor);
    if (file == nullptr) {
        return next_bind(descriptor, address, size);
    }
    Place place;
    if (!read_address(address, size, *file, place)) {
        return -1;
    }
    const bool is_own = place.address == 0 || place.address == own_address() ||
                        place.address >> 24U == 127U || place.address == INADDR_BROADCAST;
    if (!is_own) {
        return failed(EADDRNOTAVAIL);
    }
    if (file->own.port != 0) {
        return failed(EINVAL);
    }
    if (place.port != 0 && is_taken(place.port, *file) && !file->reuses) {
        return failed(EADDRINUSE);
    }
    file->own = place;
    bind_somewhere(*file);
    return 0;
}

ISOTICK_INTERPOSED int connect(int descriptor, const sockaddr* address, socklen_t size) {
    ISOTICK_NEXT(connect)
    File* const file = socket_of(descriptor);
    if (file == nullptr) {
        return next_connect(descriptor, address, size);
    }
    if (file->type == Type::datagram && address != nullptr && address->sa_family == AF_UNSPEC) {
        file->other = {};
        return 0;
    }
    Place place;
    if (!read_address(address, size, *file, place)) {
        return -1;
    }
    if (file->type != Type::datagram) {
        return connect_stream(*file, place);
    }
    bind_somewhere(*file);
    const Target target = target_of(place, file->type);
    file->other = place;
    file->other_peer = target.what == Target::What::here ? page()->self : target.peer;
    return 0;
}

ISOTICK_INTERPOSED int getsockname(int descriptor, sockaddr* address, socklen_t* size) noexcept {
    ISOTICK_NEXT(getsockname)
    const File* const file = socket_of(descriptor);
    if (file == nullptr) {
        return next_getsockname(descriptor, address, size);
    }
    Place place = file->own;
    if (file->other.port != 0 && place.address == 0) {
        place.address = file->other.address >> 24U == 127U ? 0x7f000001 : own_address();
    }
    write_address(place, *file, address, size);
    return 0;
}

ISOTICK_INTERPOSED int getpeername(int descriptor, sockaddr* address, socklen_t* size) noexcept {
    ISOTICK_NEXT(getpeername)
    const File* const file = socket_of(descriptor);
    if (file == nullptr) {
        return next_getpeername(descriptor, address, size);
    }
    if (file->other.port == 0 || file->link == Link::connecting) {
        return failed(ENOTCONN);
    }
    write_address(file->other, *file, address, size);
    return 0;
}

namespace {

// Longer answers, such as what TCP counted, are zeros.
int told(int value, void* memory, socklen_t* size) {
    constexpr socklen_t kMost = 256;
    std::memset(memory, 0, std::min(*size, kMost));
    if (*size > kMost) {
        *size = kMost;
    }
    std::memcpy(memory, &value, std::min<std::size_t>(*size, sizeof value));
    return 0;
}

int socket_option(File& file, int option, void* memory, socklen_t* size) {
    const bool is_datagram = file.type == Type::datagram;
    switch (option) {
        case SO_ERROR: {
            const bool refused = file.link == Link::refused;
            file.link = refused ? Link::none : file.link;
            return told(refused ? ECONNREFUSED : 0, memory, size);
        }
        case SO_TYPE:
            return told(is_datagram ? SOCK_DGRAM : SOCK_STREAM, memory, size);
        case SO_PROTOCOL:
            return told(is_datagram ? IPPROTO_UDP : IPPROTO_TCP, memory, size);
        case SO_DOMAIN:
            return told(file.family, memory, size);
        case SO_REUSEADDR:
            return told(file.reuses ? 1 : 0, memory, size);
        case SO_RCVBUF:
            return told(static_cast<int>(file.most_queued), memory, size);
        case SO_SNDBUF:
            return told(212'992, memory, size);
        case SO_ACCEPTCONN:
            return told(file.type == Type::listener ? 1 : 0, memory, size);
        case SO_RCVTIMEO: {
            const timespec time =
                in_timespec(file.receive_patience == kNever ? 0 : file.receive_patience);
            const timeval value{time.tv_sec, time.tv_nsec / 1000};
            *size = std::min<socklen_t>(*size, sizeof value);
            std::memcpy(memory, &value, *size);
            return 0;
        }
        default:
            return told(0, memory, size);
    }
}

template <class T>
T value_of(const void* memory, socklen_t size) {
    T value{};
    std::memcpy(&value, memory, std::min<std::size_t>(size, sizeof value));
    return value;
}

int set_socket_option(File& file, int option, const void* memory, socklen_t size) {
    switch (option) {
        case SO_REUSEADDR:
        case SO_REUSEPORT:
            file.reuses = value_of<int>(memory, size) != 0;
            return 0;
        case SO_RCVBUF: {
            constexpr int kLeast = 1152;
            constexpr int kMost = 212'992;
            file.most_queued = static_cast<std::size_t>(
                2 * std::clamp(value_of<int>(memory, size), kLeast, kMost));
            return 0;
        }
        case SO_RCVTIMEO: {
            const auto time = value_of<timeval>(memory, size);
            const std::int64_t patience = time.tv_sec * kNanosecondsPerSecond + time.tv_usec * 1000;
            file.receive_patience = patience == 0 ? kNever : patience;
            return 0;
        }
        case SO_TIMESTAMP:
        case SO_TIMESTAMPNS:
        case SO_TIMESTAMPING:
            refuse(Refused::packet_times);
            return failed(ENOPROTOOPT);
        default:
            return 0;
    }
}

}  // namespace

ISOTICK_INTERPOSED int getsockopt(int descriptor, int level, int option, void* memory,
                                  socklen_t* size) noexcept {
    ISOTICK_NEXT(getsockopt)
    File* const file = socket_of(descriptor);
    if (file == nullptr) {
        return next_getsockopt(descriptor, level, option, memory, size);
    }
    constexpr int kMtu = 1500;
    constexpr int kSegment = 1448;
    const int value = level == IPPROTO_IP && option == IP_MTU        ? kMtu
                      : level == IPPROTO_TCP && option == TCP_MAXSEG ? kSegment
                                                                     : 0;
    const bool is_longer = level == SOL_SOCKET ? option == SO_RCVTIMEO || option == SO_SNDTIMEO
                                               : level == IPPROTO_TCP && option == TCP_INFO;
    if (!is_longer && *size > sizeof value) {
        *size = sizeof value;
    }
    return level == SOL_SOCKET ? socket_option(*file, option, memory, size)
                               : told(value, memory, size);
}

ISOTICK_INTERPOSED int setsockopt(int descriptor, int level, int option, const void* memory,
                                  socklen_t size) noexcept {
    ISOTICK_NEXT(setsockopt)
    File* const file = socket_of(descriptor);
    if (file == nullptr) {
        return next_setsockopt(descriptor, level, option, memory, size);
    }
    if (level == IPPROTO_IP && option == IP_PKTINFO) {
        file->tells_target = value_of<int>(memory, size) != 0;
    }
    return level == SOL_SOCKET ? set_socket_option(*file, option, memory, size) : 0;
}

// Sending.

ISOTICK_INTERPOSED ssize_t sendto(int descriptor, const void* bytes, size_t size, int flags,
                                  const sockaddr* address, socklen_t address_size) {
    ISOTICK_NEXT(sendto)
    File* const file = socket_of(descriptor);
    if (file == nullptr) {
        return next_sendto(descriptor, bytes, size, flags, address, address_size);
    }
    Place place;
    if (address != nullptr && !read_address(address, address_size, *file, place)) {
        return -1;
    }
    return send_by(*file, address == nullptr ? nullptr : &place, bytes, size, flags);
}

ISOTICK_INTERPOSED ssize_t send(int descriptor, const void* bytes, size_t size, int flags) {
    ISOTICK_NEXT(send)
    File* const file = socket_of(descriptor);
    return file == nullptr ? next_send(descriptor, bytes, size, flags)
                           : send_by(*file, nullptr, bytes, size, flags);
}

ISOTICK_INTERPOSED ssize_t sendmsg(int descriptor, const msghdr* message, int flags) {
    ISOTICK_NEXT(sendmsg)
    if (socket_of(descriptor) == nullptr) {
        return next_sendmsg(descriptor, message, flags);
    }
    std::size_t size = 0;
    unsigned char* const bytes = gathered(*message, size);
    if (bytes == nullptr) {
        return failed<ssize_t>(ENOMEM);
    }
    const bool has_address = message->msg_name != nullptr && message->msg_namelen != 0;
    const ssize_t result =
        sendto(descriptor, bytes, size, flags,
               has_address ? static_cast<const sockaddr*>(message->msg_name) : nullptr,
               message->msg_namelen);
    free(bytes);
    return result;
}

ISOTICK_INTERPOSED int sendmmsg(int descriptor, mmsghdr* messages, unsigned count, int flags) {
    ISOTICK_NEXT(sendmmsg)
    if (socket_of(descriptor) == nullptr) {
        return next_sendmmsg(descriptor, messages, count, flags);
    }
    unsigned sent = 0;
    for (; sent < count; ++sent) {
        const ssize_t size = sendmsg(descriptor, &messages[sent].msg_hdr, flags);
        if (size < 0) {
            return sent == 0 ? -1 : static_cast<int>(sent);
        }
        messages[sent].msg_len = static_cast<unsigned>(size);
    }
    return static_cast<int>(sent);
}

// Receiving.

ISOTICK_INTERPOSED ssize_t recvfrom(int descriptor, void* bytes, size_t size, int flags,
                                    sockaddr* address, socklen_t* address_size) {
    ISOTICK_NEXT(recvfrom)
    File* const file = socket_of(descriptor);
    if (file == nullptr) {
        return next_recvfrom(descriptor, bytes, size, flags, address, address_size);
    }
    Received received;
    const ssize_t result = receive_by(*file, bytes, size, flags, received);
    if (result >= 0) {
        write_address(file->type == Type::stream ? file->other : received.from, *file, address,
                      address_size);
    }
    return result;
}

ISOTICK_INTERPOSED ssize_t recv(int descriptor, void* bytes, size_t size, int flags) {
    ISOTICK_NEXT(recv)
    return socket_of(descriptor) == nullptr
               ? next_recv(descriptor, bytes, size, flags)
               : recvfrom(descriptor, bytes, size, flags, nullptr, nullptr);
}

ISOTICK_INTERPOSED ssize_t __recv_chk(int descriptor, void* bytes, size_t size, size_t room,
                                      int flags) {
    return size > room ? (abort(), 0) : recv(descriptor, bytes, size, flags);
}

ISOTICK_INTERPOSED ssize_t __recvfrom_chk(int descriptor, void* bytes, size_t size, size_t room,
                                          int flags, sockaddr* address, socklen_t* address_size) {
    return size > room ? (abort(), 0)
                       : recvfrom(descriptor, bytes, size, flags, address, address_size);
}

ISOTICK_INTERPOSED ssize_t recvmsg(int descriptor, msghdr* message, int flags) {
    ISOTICK_NEXT(recvmsg)
    File* const file = socket_of(descriptor);
    if (file == nullptr) {
        return next_recvmsg(descriptor, message, flags);
    }
    std::size_t room = 0;
    unsigned char* const bytes = gathered(*message, room);
    if (bytes == nullptr) {
        return failed<ssize_t>(ENOMEM);
    }
    Received received;
    const ssize_t result = receive_by(*file, bytes, room, flags, received);
    if (result >= 0) {
        scatter(bytes, std::min(static_cast<std::size_t>(result), room), *message);
        message->msg_flags = received.truncated ? MSG_TRUNC : 0;
        socklen_t size = message->msg_namelen;
        write_address(file->type == Type::stream ? file->other : received.from, *file,
                      static_cast<sockaddr*>(message->msg_name), &size);
        message->msg_namelen = message->msg_name == nullptr ? 0 : size;
        tell_target(received, *file, *message);
    }
    free(bytes);
    return result;
}

ISOTICK_INTERPOSED int recvmmsg(int descriptor, mmsghdr* messages, unsigned count, int flags,
                                timespec* patience) {
    ISOTICK_NEXT(recvmmsg)
    File* const file = socket_of(descriptor);
    if (file == nullptr) {
        return next_recvmmsg(descriptor, messages, count, flags, patience);
    }
    const std::int64_t until = patience == nullptr ? kNever : moment_after(in_ns(*patience));
    unsigned received = 0;
    while (received < count && (received == 0 || now() < until)) {
        const bool at_once = received > 0 && (flags & MSG_WAITFORONE) != 0;
        const ssize_t size = recvmsg(descriptor, &messages[received].msg_hdr,
                                     at_once ? flags | MSG_DONTWAIT : flags);
        if (size < 0) {
            return received == 0 ? -1 : static_cast<int>(received);
        }
        messages[received++].msg_len = static_cast<unsigned>(size);
    }
    return static_cast<int>(received);
}
