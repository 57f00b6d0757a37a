#pragma once
// What this process has open that is the session's: sockets, timers and sets of them.

#include "inside.hpp"

#include <cstddef>
#include <cstdint>

#include <sys/epoll.h>
#include <sys/socket.h>

namespace isotick::harness::netplay {

/// An address as sockets have it, of either family, without its family.
struct Place {
    std::uint32_t address = 0;  ///< of IPv4, as a number; 0: any
    std::uint16_t port = 0;
};

/// Bytes that came in one piece.
struct Message {
    Message* next;
    std::uint32_t size;
    std::uint32_t read;  ///< how much of it was, of a stream
    Place from;
    std::uint32_t to_address;
    unsigned char bytes[];  // NOLINT(modernize-avoid-c-arrays)
};

/// Messages in the order of their arrival.
class Queue {
  public:
    [[nodiscard]] Message* first() const { return first_; }
    [[nodiscard]] std::size_t bytes() const { return bytes_; }
    void put(Message* message);
    void drop_first();
    void drop_all();

  private:
    Message* first_ = nullptr;
    Message* last_ = nullptr;
    std::size_t bytes_ = 0;
};

enum class Type : std::uint8_t { datagram, stream, listener, timer, set };

/// One file of a set, as epoll has them.
struct Watched {
    int file;
    epoll_event event;
    std::uint64_t seen;  ///< of an edge: changes of the file when it was last told
    bool is_off;         ///< of one that is told once
    Watched* next;
};

enum class Link : std::uint8_t { none, connecting, open, refused, finished };

/// What one or several descriptors of this process stand for. Not all members are of all types.
struct File {
    Type type = Type::datagram;
    int references = 0;
    bool does_not_block = false;
    std::uint64_t changes = 0;  ///< counted, whenever it may have become ready
    File* next = nullptr;       ///< in the list of all

    // Sockets.
    int family = AF_INET;
    bool reuses = false;
    bool tells_target = false;  ///< IP_PKTINFO
    Place own;                  ///< port 0: not bound
    Place other;                ///< port 0: not connected
    std::uint32_t other_peer = 0;
    std::int64_t receive_patience = kNever;
    std::size_t most_queued = 212'992;  // bytes, as Linux has it
    Queue queue;

    // Streams.
    Link link = Link::none;
    bool other_finished = false;
    bool own_finished = false;
    std::uint32_t on_its_way = 0;  ///< bytes that were sent, and not yet read
    std::uint32_t untold = 0;      ///< bytes that were read, which the other side does not know
    File* accepted = nullptr;  ///< of a listener: the connections to be accepted, in their order
    File* after = nullptr;     ///< the next of these

    int descriptor = -1;  ///< of one that is to be accepted

    // Timers.
    std::int64_t due = kNever;
    std::int64_t period = 0;
    clockid_t clock = 0;

    // Sets.
    Watched* watched = nullptr;
};

/// Null where it is none of ours, or this process is a copy of the peer.
[[nodiscard]] File* file_of(int descriptor);
/// Whether it was one of ours before this process was copied.
[[nodiscard]] bool is_of_peer(int descriptor);
/// All, the last first.
[[nodiscard]] File* all_files();

/// A new descriptor for a new file; -1 with errno where there can be none.
int open_file(Type type, bool does_not_block, bool closes_on_exec, File*& file);
/// Lets go of a descriptor that is ours.
int close_file(int descriptor);
/// What goes with the last of its descriptors.
void close_socket(File& file);

/// A message with these bytes. Null without memory.
Message* make_message(const void* bytes, std::uint32_t size);

// Addresses.

/// Where a packet goes.
struct Target {
    enum class What : std::uint8_t { nowhere, here, peer, everyone };
    What what = What::nowhere;
    std::uint32_t peer = 0;
};
[[nodiscard]] Target target_of(const Place& place, Type type);

/// False: it is no address of the socket's family; errno says why.
bool read_address(const sockaddr* address, socklen_t size, const File& file, Place& place);
/// Writes as much as fits, and how much there is.
void write_address(const Place& place, const File& file, sockaddr* address, socklen_t* size);

[[nodiscard]] std::uint32_t own_address();
/// How a peer's address is shown here.
[[nodiscard]] std::uint32_t shown_address(std::uint32_t peer);

/// Gives it a free port, unless it has one.
void bind_somewhere(File& file);
/// Whether another socket of that kind has that port.
[[nodiscard]] bool is_taken(std::uint16_t port, const File& by);

// What arrives.

void receive_datagram(const PacketHead& head, const unsigned char* bytes);
void receive_of_stream(const PacketHead& head, const unsigned char* bytes);
/// From a socket of this process to another.
void deliver_here(const PacketHead& head, const Place& from, const void* bytes);

// Streams.

int connect_stream(File& file, const Place& place);
ssize_t send_to_stream(File& file, const void* bytes, std::size_t size, int flags);
/// Whether more can be sent before the other side has read some of it.
[[nodiscard]] bool has_room(const File& file);
ssize_t receive_from_stream(File& file, void* bytes, std::size_t size, int flags);

// What is ready.

/// Of POLLIN, POLLOUT, POLLERR, POLLHUP.
[[nodiscard]] short ready(File& file);
/// When that may change by itself.
[[nodiscard]] std::int64_t next_change(const File& file);

/// It may have become ready: threads that wait for it look again.
void tell_change(File& file);

/// Waits until `file` is ready for `events`. 0, or why not: EAGAIN, EINTR.
int await(File& file, short events, bool does_not_block, std::int64_t patience);

/// Another thread may have made one of the system's own files ready.
[[nodiscard]] const void* system_files();

// Timers.

/// How often it was due since it was last asked.
std::uint64_t take_due(File& file);

}  // namespace isotick::harness::netplay
