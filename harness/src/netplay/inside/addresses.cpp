// The network that a peer sees: 10.77.0.1 is peer 0, 10.77.0.2 peer 1, and so on. The loopback
// address leads to itself, or where nobody here has the port, to the peer whose port that is.

#include "files.hpp"

#include <cstdlib>
#include <cstring>
#include <netdb.h>

#include <arpa/inet.h>
#include <netinet/in.h>

namespace isotick::harness::netplay {
namespace {

constexpr std::uint32_t kLoopback = 0x7f000001;
constexpr std::uint32_t kNetworkMask = 0xffffff00;
constexpr std::uint32_t kBroadcast = kFirstAddress | 0xffU;

bool speaks_by_loopback = false;  // other peers are shown as 127.0.0.1, as they were addressed

bool is_loopback(std::uint32_t address) {
    return address >> 24U == 127U;
}

bool is_datagram(Type type) {
    return type == Type::datagram;
}

bool is_socket(Type type) {
    return type == Type::datagram || type == Type::stream || type == Type::listener;
}

std::uint16_t next_free = 49'152;

}  // namespace

std::uint32_t own_address() {
    return kFirstAddress + page()->self;
}

std::uint32_t shown_address(std::uint32_t peer) {
    return speaks_by_loopback ? kLoopback : kFirstAddress + peer;
}

bool is_taken(std::uint16_t port, const File& by) {
    for (const File* each = all_files(); each != nullptr; each = each->next) {
        const bool is_accepted = each->type == Type::stream && each->other.port != 0;
        if (each != &by && is_socket(each->type) && each->own.port == port && !is_accepted &&
            is_datagram(each->type) == is_datagram(by.type)) {
            return true;
        }
    }
    return false;
}

void bind_somewhere(File& file) {
    while (file.own.port == 0) {
        const std::uint16_t port = next_free;
        next_free = next_free == 65'535 ? 49'152 : static_cast<std::uint16_t>(next_free + 1);
        file.own.port = is_taken(port, file) ? 0 : port;
    }
}

Target target_of(const Place& place, Type type) {
    using What = Target::What;
    const std::uint32_t address = place.address;
    if (address == 0 || is_loopback(address)) {
        File probe;
        probe.type = type;
        const std::uint32_t peer = place.port - static_cast<std::uint32_t>(kFirstPort);
        if (is_taken(place.port, probe) || peer >= page()->peers || peer == page()->self) {
            return {What::here, 0};
        }
        speaks_by_loopback = true;
        return {What::peer, peer};
    }
    if (address == INADDR_BROADCAST || address == kBroadcast) {
        return {What::everyone, 0};
    }
    const std::uint32_t peer = address - kFirstAddress;
    if ((address & kNetworkMask) != (kFirstAddress & kNetworkMask) || peer >= page()->peers) {
        ++page()->unplaced;
        return {};
    }
    return peer == page()->self ? Target{What::here, 0} : Target{What::peer, peer};
}

bool read_address(const sockaddr* address, socklen_t size, const File& file, Place& place) {
    if (address == nullptr || size < sizeof(sa_family_t)) {
        errno = EINVAL;
        return false;
    }
    if (address->sa_family == AF_INET && size >= sizeof(sockaddr_in)) {
        sockaddr_in plain{};
        std::memcpy(&plain, address, sizeof plain);
        place = {ntohl(plain.sin_addr.s_addr), ntohs(plain.sin_port)};
        return true;
    }
    if (address->sa_family != AF_INET6 || file.family != AF_INET6 || size < sizeof(sockaddr_in6)) {
        errno =
            address->sa_family == AF_INET || address->sa_family == AF_INET6 ? EINVAL : EAFNOSUPPORT;
        return false;
    }
    sockaddr_in6 longer{};
    std::memcpy(&longer, address, sizeof longer);
    place.port = ntohs(longer.sin6_port);
    if (IN6_IS_ADDR_UNSPECIFIED(&longer.sin6_addr)) {
        place.address = 0;
    } else if (IN6_IS_ADDR_LOOPBACK(&longer.sin6_addr)) {
        place.address = kLoopback;
    } else if (IN6_IS_ADDR_V4MAPPED(&longer.sin6_addr)) {
        std::uint32_t last = 0;
        std::memcpy(&last, &longer.sin6_addr.s6_addr[12], sizeof last);
        place.address = ntohl(last);
    } else if (IN6_IS_ADDR_MULTICAST(&longer.sin6_addr)) {
        place.address = 0xe0000001;
    } else {
        place.address = 1;  // nobody's
    }
    return true;
}

void write_address(const Place& place, const File& file, sockaddr* address, socklen_t* size) {
    if (address == nullptr || size == nullptr) {
        return;
    }
    sockaddr_in plain{};
    plain.sin_family = AF_INET;
    plain.sin_port = htons(place.port);
    plain.sin_addr.s_addr = htonl(place.address);
    sockaddr_in6 longer{};
    longer.sin6_family = AF_INET6;
    longer.sin6_port = htons(place.port);
    if (place.address != 0) {
        longer.sin6_addr.s6_addr[10] = longer.sin6_addr.s6_addr[11] = 0xff;
        std::memcpy(&longer.sin6_addr.s6_addr[12], &plain.sin_addr, sizeof plain.sin_addr);
    }
    const bool is_longer = file.family == AF_INET6;
    const void* const source = is_longer ? static_cast<const void*>(&longer) : &plain;
    const socklen_t whole = is_longer ? sizeof longer : sizeof plain;
    std::memcpy(address, source, *size < whole ? *size : whole);
    *size = whole;
}

}  // namespace isotick::harness::netplay

using namespace isotick::harness::netplay;

namespace {

// `peer0` is the address of peer 0. No question leaves the machine.
bool is_number(const char* name) {
    in6_addr address{};
    return inet_pton(AF_INET, name, &address) == 1 || inet_pton(AF_INET6, name, &address) == 1;
}

const char* address_of_name(const char* name, char* text, std::size_t size) {
    if (name == nullptr || is_number(name) || std::strcmp(name, "localhost") == 0) {
        return name;
    }
    constexpr std::size_t kPrefix = 4;
    char* end = nullptr;
    const unsigned long peer =
        std::strncmp(name, "peer", kPrefix) == 0 ? std::strtoul(name + kPrefix, &end, 10) : 0;
    if (end == nullptr || end == name + kPrefix || *end != 0 || peer >= page()->peers) {
        return nullptr;
    }
    const in_addr address{htonl(kFirstAddress + static_cast<std::uint32_t>(peer))};
    return inet_ntop(AF_INET, &address, text, static_cast<socklen_t>(size));
}

}  // namespace

ISOTICK_INTERPOSED int getaddrinfo(const char* name, const char* service, const addrinfo* hints,
                                   addrinfo** result) {
    ISOTICK_NEXT(getaddrinfo)
    if (page() == nullptr) {
        return next_getaddrinfo(name, service, hints, result);
    }
    char text[INET_ADDRSTRLEN];  // NOLINT(modernize-avoid-c-arrays)
    const char* const found = address_of_name(name, text, sizeof text);
    addrinfo plain{};
    if (hints != nullptr) {
        plain = *hints;
    }
    plain.ai_flags &= ~AI_ADDRCONFIG;  // what the machine has does not matter
    return name != nullptr && found == nullptr ? EAI_NONAME
                                               : next_getaddrinfo(found, service, &plain, result);
}

ISOTICK_INTERPOSED hostent* gethostbyname(const char* name) {
    ISOTICK_NEXT(gethostbyname)
    if (page() == nullptr) {
        return next_gethostbyname(name);
    }
    char text[INET_ADDRSTRLEN];  // NOLINT(modernize-avoid-c-arrays)
    const char* const found = address_of_name(name, text, sizeof text);
    if (found == nullptr) {
        h_errno = HOST_NOT_FOUND;
        return nullptr;
    }
    return next_gethostbyname(found);
}
