// A peer of `isotick netplay` that asks the system for everything netplay answers, and checks the
// answers to the nanosecond. The last peer asks; peer 0 echoes what it gets.
//
//   netplay_calls PEER ADDRESS_OF_0 CHECK

#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <dlfcn.h>
#include <fcntl.h>
#include <functional>
#include <mutex>
#include <netdb.h>
#include <poll.h>
#include <pthread.h>
#include <random>
#include <semaphore.h>
#include <string>
#include <string_view>
#include <thread>
#include <unistd.h>
#include <vector>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <sys/uio.h>

namespace {

constexpr std::int64_t kMillisecond = 1'000'000;
constexpr std::uint16_t kPort = 7000;

sockaddr_in server;

// What a check is about to do, for its failure.
[[noreturn]] void fail(int line, const char* what) {
    std::fprintf(stderr, "line %d: %s (errno %d: %s)\n", line, what, errno, std::strerror(errno));
    std::exit(1);
}

#define CHECK(condition) ((condition) ? void() : fail(__LINE__, #condition))

std::int64_t now() {
    timespec time{};
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * 1'000'000'000 + time.tv_nsec;
}

/// What an action takes of virtual time.
template <class Action>
std::int64_t taken_by(const Action& action) {
    const std::int64_t before = now();
    action();
    return now() - before;
}

int udp(int flags = 0) {
    const int descriptor = socket(AF_INET, SOCK_DGRAM | flags, 0);
    CHECK(descriptor >= 0);
    return descriptor;
}

const sockaddr* address_of(const sockaddr_in& address) {
    return reinterpret_cast<const sockaddr*>(&address);
}

void ask(int descriptor, std::string_view text) {
    CHECK(sendto(descriptor, text.data(), text.size(), 0, address_of(server), sizeof server) ==
          static_cast<ssize_t>(text.size()));
}

std::string answer(int descriptor, int flags = 0) {
    std::array<char, 2048> bytes{};
    const ssize_t size = recv(descriptor, bytes.data(), bytes.size(), flags);
    CHECK(size >= 0);
    return {bytes.data(), static_cast<std::size_t>(size)};
}

void check_clocks() {
    CHECK(taken_by([] { usleep(1500); }) == 1'500'000);
    CHECK(taken_by([] { sleep(2); }) == 2'000 * kMillisecond);
    timespec time{0, 7};
    CHECK(taken_by([&] { nanosleep(&time, nullptr); }) == 7);
    CHECK(taken_by([] { std::this_thread::sleep_for(std::chrono::milliseconds(3)); }) ==
          3 * kMillisecond);
    clock_gettime(CLOCK_MONOTONIC, &time);
    ++time.tv_sec;
    CHECK(taken_by([&] { clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &time, nullptr); }) ==
          1'000 * kMillisecond);
    timeval date{};
    gettimeofday(&date, nullptr);
    CHECK(date.tv_sec == time_t{1'767'225'600} + 3);
    CHECK(::time(nullptr) == date.tv_sec);
    const auto system = std::chrono::system_clock::now().time_since_epoch();
    CHECK(std::chrono::duration_cast<std::chrono::seconds>(system).count() == date.tv_sec);
    // Its number is the system's: paths in /proc name it.
    const std::string own = "/proc/" + std::to_string(getpid()) + "/fd/1";
    CHECK(access(own.c_str(), W_OK) == 0);
    rusage used{};
    CHECK(getrusage(RUSAGE_SELF, &used) == 0 && used.ru_utime.tv_usec == 0);
}

void check_datagrams() {
    const int one = udp();
    ask(one, "hello");
    CHECK(taken_by([&] { CHECK(answer(one) == "hello"); }) == 40 * kMillisecond);
    // Where it came from, and where to.
    sockaddr_in from{};
    socklen_t size = sizeof from;
    ask(one, "who");
    std::array<char, 64> bytes{};
    CHECK(recvfrom(one, bytes.data(), bytes.size(), 0, reinterpret_cast<sockaddr*>(&from), &size) ==
          3);
    CHECK(from.sin_addr.s_addr == server.sin_addr.s_addr && from.sin_port == server.sin_port);
    size = sizeof from;
    CHECK(getsockname(one, reinterpret_cast<sockaddr*>(&from), &size) == 0);
    CHECK(ntohs(from.sin_port) >= 49'152);
    // Longer than there is room for; looked at first.
    ask(one, "long one");
    CHECK(answer(one, MSG_PEEK) == "long one");
    int waiting = 0;
    CHECK(ioctl(one, FIONREAD, &waiting) == 0 && waiting == 8);
    CHECK(recv(one, bytes.data(), 4, MSG_TRUNC) == 8);
    // Nothing there.
    CHECK(recv(one, bytes.data(), 4, MSG_DONTWAIT) == -1 && errno == EAGAIN);
    CHECK(fcntl(one, F_SETFL, O_NONBLOCK) == 0 && recv(one, bytes.data(), 4, 0) == -1 &&
          errno == EAGAIN);
    CHECK(fcntl(one, F_SETFL, 0) == 0);
    const timeval patience{0, 30'000};
    CHECK(setsockopt(one, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience) == 0);
    CHECK(taken_by([&] { CHECK(recv(one, bytes.data(), 4, 0) == -1 && errno == EAGAIN); }) ==
          30 * kMillisecond);
    // A connected one, by other calls; and a copy of its descriptor.
    const int connected = udp();
    CHECK(connect(connected, address_of(server), sizeof server) == 0);
    CHECK(write(connected, "abc", 3) == 3);
    const int copy = dup(connected);
    CHECK(close(connected) == 0);
    CHECK(read(copy, bytes.data(), bytes.size()) == 3);
    iovec pieces[2] = {{bytes.data(), 2}, {bytes.data() + 10, 20}};
    CHECK(send(copy, "12345", 5, 0) == 5);
    CHECK(readv(copy, pieces, 2) == 5 && bytes[1] == '2' && bytes[10] == '3' && bytes[12] == '5');
    CHECK(close(copy) == 0 && recv(copy, bytes.data(), 4, 0) == -1 && errno == EBADF);
    // An address of no peer: the packet is lost.
    sockaddr_in nowhere = server;
    nowhere.sin_addr.s_addr = htonl(0x08080808);
    CHECK(sendto(one, "x", 1, 0, address_of(nowhere), sizeof nowhere) == 1);
    CHECK(close(one) == 0);
}

void check_addresses() {
    addrinfo* found = nullptr;
    CHECK(getaddrinfo("peer0", "7000", nullptr, &found) == 0);
    CHECK(std::memcmp(&reinterpret_cast<sockaddr_in*>(found->ai_addr)->sin_addr, &server.sin_addr,
                      sizeof server.sin_addr) == 0);
    freeaddrinfo(found);
    CHECK(getaddrinfo("example.org", "80", nullptr, &found) == EAI_NONAME);
    // By IPv6, and by the loopback address: the port says who is meant.
    const int six = socket(AF_INET6, SOCK_DGRAM, 0);
    sockaddr_in6 mapped{};
    mapped.sin6_family = AF_INET6;
    mapped.sin6_port = htons(kPort);
    CHECK(inet_pton(AF_INET6, "::ffff:10.77.0.1", &mapped.sin6_addr) == 1);
    CHECK(sendto(six, "six", 3, 0, reinterpret_cast<sockaddr*>(&mapped), sizeof mapped) == 3);
    CHECK(answer(six) == "six");
    // Bound twice, and to what is another's.
    const int a = udp();
    const int b = udp();
    sockaddr_in own{};
    own.sin_family = AF_INET;
    own.sin_port = htons(5000);
    CHECK(bind(a, address_of(own), sizeof own) == 0);
    CHECK(bind(b, address_of(own), sizeof own) == -1 && errno == EADDRINUSE);
    own.sin_addr = server.sin_addr;
    own.sin_port = 0;
    CHECK(bind(b, address_of(own), sizeof own) == -1 && errno == EADDRNOTAVAIL);
    // To itself: at once. And to everybody.
    own.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    own.sin_port = htons(5000);
    CHECK(sendto(b, "me", 2, 0, address_of(own), sizeof own) == 2);
    CHECK(taken_by([&] { CHECK(answer(a) == "me"); }) == 0);
    sockaddr_in everyone = server;
    everyone.sin_addr.s_addr = INADDR_BROADCAST;
    const int on = 1;
    CHECK(setsockopt(b, SOL_SOCKET, SO_BROADCAST, &on, sizeof on) == 0);
    CHECK(sendto(b, "all", 3, 0, address_of(everyone), sizeof everyone) == 3);
    CHECK(answer(b) == "all");
    // Where a packet was sent to.
    CHECK(setsockopt(a, IPPROTO_IP, IP_PKTINFO, &on, sizeof on) == 0);
    ask(a, "info");
    char bytes[16];
    alignas(cmsghdr) char control[64];
    iovec piece{bytes, sizeof bytes};
    msghdr message{};
    message.msg_iov = &piece;
    message.msg_iovlen = 1;
    message.msg_control = control;
    message.msg_controllen = sizeof control;
    CHECK(recvmsg(a, &message, 0) == 4);
    const cmsghdr* head = CMSG_FIRSTHDR(&message);
    CHECK(head != nullptr && head->cmsg_type == IP_PKTINFO);
    in_pktinfo info{};
    std::memcpy(&info, CMSG_DATA(head), sizeof info);
    CHECK(ntohl(info.ipi_addr.s_addr) == 0x0a4d0002);
}

void check_polls() {
    const int one = udp();
    pollfd files{one, POLLIN, 0};
    CHECK(taken_by([&] { CHECK(poll(&files, 1, 25) == 0); }) == 25 * kMillisecond);
    ask(one, "a");
    CHECK(taken_by([&] { CHECK(poll(&files, 1, 1000) == 1 && files.revents == POLLIN); }) ==
          40 * kMillisecond);
    fd_set set;
    FD_ZERO(&set);
    FD_SET(one, &set);
    timeval patience{1, 0};
    CHECK(select(one + 1, &set, nullptr, nullptr, &patience) == 1 && FD_ISSET(one, &set));
    CHECK(patience.tv_sec == 1);
    CHECK(answer(one) == "a");
    CHECK(taken_by([&] {
              patience = {0, 7000};
              CHECK(select(one + 1, &set, nullptr, nullptr, &patience) == 0);
          }) == 7 * kMillisecond);
    CHECK(!FD_ISSET(one, &set));
    // A set of files: level, edge, once.
    const int all = epoll_create1(0);
    epoll_event event{};
    event.events = EPOLLIN | EPOLLET;
    event.data.fd = one;
    CHECK(epoll_ctl(all, EPOLL_CTL_ADD, one, &event) == 0);
    CHECK(epoll_ctl(all, EPOLL_CTL_ADD, one, &event) == -1 && errno == EEXIST);
    ask(one, "b");
    CHECK(taken_by([&] { CHECK(epoll_wait(all, &event, 1, -1) == 1); }) == 40 * kMillisecond);
    CHECK(event.data.fd == one && event.events == EPOLLIN);
    CHECK(taken_by([&] { CHECK(epoll_wait(all, &event, 1, 10) == 0); }) == 10 * kMillisecond);
    event.events = EPOLLIN;
    event.data.fd = one;
    CHECK(epoll_ctl(all, EPOLL_CTL_MOD, one, &event) == 0);
    CHECK(epoll_wait(all, &event, 1, 0) == 1 && epoll_wait(all, &event, 1, 0) == 1);
    CHECK(answer(one) == "b");
    // A timer, in the set and alone.
    const int timer = timerfd_create(CLOCK_MONOTONIC, 0);
    const itimerspec every{{0, 5 * kMillisecond}, {0, 12 * kMillisecond}};
    CHECK(timerfd_settime(timer, 0, &every, nullptr) == 0);
    event.events = EPOLLIN;
    event.data.fd = timer;
    CHECK(epoll_ctl(all, EPOLL_CTL_ADD, timer, &event) == 0);
    CHECK(taken_by([&] { CHECK(epoll_wait(all, &event, 1, -1) == 1); }) == 12 * kMillisecond);
    CHECK(event.data.fd == timer);
    usleep(11'000);
    std::uint64_t due = 0;
    CHECK(read(timer, &due, sizeof due) == sizeof due && due == 3);
    CHECK(taken_by([&] { CHECK(read(timer, &due, sizeof due) == sizeof due && due == 1); }) ==
          4 * kMillisecond);
    // One of the system's own files among them.
    const int system = eventfd(0, 0);
    pollfd both[2] = {{one, POLLIN, 0}, {system, POLLIN, 0}};
    CHECK(taken_by([&] { CHECK(poll(both, 2, 20) == 0); }) == 20 * kMillisecond);
    const std::uint64_t count = 1;
    CHECK(write(system, &count, sizeof count) == sizeof count);
    CHECK(poll(both, 2, -1) == 1 && both[1].revents == POLLIN && both[0].revents == 0);
}

void check_streams() {
    const int one = socket(AF_INET, SOCK_STREAM, 0);
    // A connection takes both ways, and 28 bytes of headers at 1 Gbit/s on each.
    CHECK(taken_by([&] { CHECK(connect(one, address_of(server), sizeof server) == 0); }) ==
          40 * kMillisecond + 2 * 224);
    std::string sent(100'000, 'x');
    for (std::size_t i = 0; i < sent.size(); ++i) {
        sent[i] = static_cast<char>('a' + i % 23);
    }
    CHECK(send(one, sent.data(), sent.size(), 0) == static_cast<ssize_t>(sent.size()));
    std::string received(sent.size(), ' ');
    CHECK(recv(one, received.data(), received.size(), MSG_WAITALL) ==
          static_cast<ssize_t>(sent.size()));
    CHECK(received == sent);
    CHECK(shutdown(one, SHUT_WR) == 0);
    char byte = 0;
    CHECK(recv(one, &byte, 1, 0) == 0);  // the other side finishes, too
    CHECK(send(one, &byte, 1, MSG_NOSIGNAL) == -1 && errno == EPIPE);
    CHECK(close(one) == 0);
    // Nobody listens there.
    sockaddr_in closed = server;
    closed.sin_port = htons(9);
    const int two = socket(AF_INET, SOCK_STREAM, 0);
    CHECK(connect(two, address_of(closed), sizeof closed) == -1 && errno == ECONNREFUSED);
    // Without waiting.
    const int three = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
    CHECK(connect(three, address_of(server), sizeof server) == -1 && errno == EINPROGRESS);
    pollfd files{three, POLLOUT, 0};
    CHECK(poll(&files, 1, 1000) == 1 && (files.revents & POLLOUT) != 0);
    int error = 1;
    socklen_t size = sizeof error;
    CHECK(getsockopt(three, SOL_SOCKET, SO_ERROR, &error, &size) == 0 && error == 0);
    CHECK(recv(three, &byte, 1, 0) == -1 && errno == EAGAIN);
    // As much as the other side has room for, and no more before it has read.
    std::size_t all = 0;
    ssize_t some = 0;
    while ((some = send(three, sent.data(), sent.size(), 0)) > 0) {
        all += static_cast<std::size_t>(some);
    }
    CHECK(errno == EAGAIN && all == 212'992);
    CHECK(poll(&files, 1, 10) == 0);
    CHECK(poll(&files, 1, 1000) == 1 && files.revents == POLLOUT);
    CHECK(close(three) == 0);
}

void check_threads() {
    // One works while the other waits, and time goes on only for those who wait for it.
    std::mutex mutex;
    std::condition_variable changed;
    int steps = 0;
    std::thread worker([&] {
        for (int i = 0; i < 5; ++i) {
            std::this_thread::sleep_for(std::chrono::milliseconds(10));
            const std::lock_guard guard(mutex);
            ++steps;
            changed.notify_one();
        }
    });
    CHECK(taken_by([&] {
              std::unique_lock lock(mutex);
              changed.wait(lock, [&] { return steps == 3; });
          }) == 30 * kMillisecond);
    {
        std::unique_lock lock(mutex);
        CHECK(taken_by([&] {
                  CHECK(changed.wait_for(lock, std::chrono::milliseconds(4)) ==
                        std::cv_status::timeout);
              }) == 4 * kMillisecond);
    }
    worker.join();
    CHECK(steps == 5);
    // Semaphores, futexes, barriers, and a socket that two threads use.
    sem_t semaphore;
    CHECK(sem_init(&semaphore, 0, 0) == 0);
    std::atomic<int> flag{0};
    pthread_barrier_t barrier;
    CHECK(pthread_barrier_init(&barrier, nullptr, 2) == 0);
    const int one = udp();
    std::thread second([&] {
        CHECK(answer(one) == "for the other");
        sem_post(&semaphore);
        flag.wait(0);
        pthread_barrier_wait(&barrier);
    });
    CHECK(taken_by([&] {
              ask(one, "for the other");
              CHECK(sem_wait(&semaphore) == 0);
          }) == 40 * kMillisecond);
    flag = 1;
    flag.notify_all();
    pthread_barrier_wait(&barrier);
    second.join();
    // Many that take turns: always in the same order.
    std::string order;
    std::vector<std::thread> many;
    for (char name = 'a'; name < 'i'; ++name) {
        many.emplace_back([&, name] {
            for (int i = 0; i < 3; ++i) {
                const std::lock_guard guard(mutex);
                order += name;
                std::this_thread::yield();
            }
        });
    }
    for (std::thread& each : many) {
        each.join();
    }
    std::printf("%s\n", order.c_str());
    // A pipe between threads.
    int pipe_ends[2];
    CHECK(pipe(pipe_ends) == 0);
    std::thread writer([&] {
        std::this_thread::sleep_for(std::chrono::milliseconds(6));
        CHECK(write(pipe_ends[1], "p", 1) == 1);
    });
    char byte = 0;
    CHECK(taken_by([&] { CHECK(read(pipe_ends[0], &byte, 1) == 1); }) == 6 * kMillisecond);
    writer.join();
}

void check_chance() {
    std::uint64_t numbers[4] = {};
    CHECK(getrandom(&numbers[0], 8, 0) == 8);
    CHECK(getentropy(&numbers[1], 8) == 0);
    numbers[2] = std::random_device()();
    const int file = open("/dev/urandom", O_RDONLY);
    CHECK(read(file, &numbers[3], 8) == 8);
    const std::vector<int> heap(1000);
    // The same in each run, so that the packet is.
    std::string text;
    for (const std::uint64_t number : numbers) {
        text += std::to_string(number) + " ";
    }
    text += std::to_string(reinterpret_cast<std::uintptr_t>(heap.data())) + " " +
            std::to_string(reinterpret_cast<std::uintptr_t>(&check_chance)) + " " +
            std::to_string(reinterpret_cast<std::uintptr_t>(&text));
    const int one = udp();
    ask(one, text);
    CHECK(answer(one) == text);
}

// As a program does that brings its own C library: past every function that can be replaced.
void check_bypass() {
    void* const library = dlopen("libc.so.6", RTLD_NOW);
    auto* const call = reinterpret_cast<long (*)(long, ...)>(dlsym(library, "syscall"));
    CHECK(call != nullptr);
    for (const int family : {AF_INET, AF_INET6, AF_PACKET}) {
        CHECK(call(SYS_socket, family, SOCK_DGRAM, 0) == -1 && errno == EPERM);
    }
    CHECK(call(SYS_io_uring_setup, 4, nullptr) == -1 && errno == EPERM);
    CHECK(call(SYS_socket, AF_UNIX, SOCK_DGRAM, 0) >= 0);
    usleep(1);
}

void spin() {
    const std::int64_t until = now() + 100 * kMillisecond;
    while (now() < until) {
    }
}

void flood() {
    const int one = udp();
    for (int i = 0; i < 20'000; ++i) {
        ask(one, std::string(1000, 'f'));
    }
}

void hang() {
    volatile bool goes_on = true;
    while (goes_on) {
    }
}

// Echoes until the other has been silent for a minute.
void serve(std::uint16_t port) {
    sockaddr_in own{};
    own.sin_family = AF_INET;
    own.sin_port = htons(port);
    const int datagrams = udp();
    const int streams = socket(AF_INET, SOCK_STREAM, 0);
    CHECK(bind(datagrams, address_of(own), sizeof own) == 0);
    CHECK(bind(streams, address_of(own), sizeof own) == 0 && listen(streams, 4) == 0);
    std::vector<pollfd> files{{datagrams, POLLIN, 0}, {streams, POLLIN, 0}};
    std::array<char, 65'536> bytes{};
    while (poll(files.data(), files.size(), 60'000) > 0) {
        if ((files[0].revents & POLLIN) != 0) {
            sockaddr_in from{};
            socklen_t size = sizeof from;
            const ssize_t length = recvfrom(datagrams, bytes.data(), bytes.size(), 0,
                                            reinterpret_cast<sockaddr*>(&from), &size);
            CHECK(length >= 0);
            sendto(datagrams, bytes.data(), static_cast<std::size_t>(length), 0, address_of(from),
                   size);
        }
        if ((files[1].revents & POLLIN) != 0) {
            const int taken = accept(streams, nullptr, nullptr);
            CHECK(taken >= 0);
            files.push_back({taken, POLLIN, 0});
        }
        for (std::size_t i = 2; i < files.size(); ++i) {
            if ((files[i].revents & POLLIN) == 0) {
                continue;
            }
            const ssize_t length = recv(files[i].fd, bytes.data(), bytes.size(), 0);
            CHECK(length >= 0);
            if (length == 0) {
                close(files[i].fd);
                files.erase(files.begin() + static_cast<std::ptrdiff_t>(i));
                break;
            }
            CHECK(send(files[i].fd, bytes.data(), static_cast<std::size_t>(length), MSG_NOSIGNAL) ==
                  length);
        }
    }
}

}  // namespace

int main(int argc, char** argv) {
    if (argc != 4) {
        std::fprintf(stderr, "usage: netplay_calls PEER IP_OF_0 CHECK\n");
        return 2;
    }
    server.sin_family = AF_INET;
    server.sin_port = htons(kPort);
    CHECK(inet_pton(AF_INET, argv[2], &server.sin_addr) == 1);
    if (std::string_view(argv[1]) == "0") {
        serve(kPort);
        return 0;
    }
    const std::string_view check = argv[3];
    const std::pair<std::string_view, void (*)()> checks[] = {
        {"clocks", check_clocks},
        {"datagrams", check_datagrams},
        {"addresses", check_addresses},
        {"polls", check_polls},
        {"streams", check_streams},
        {"threads", check_threads},
        {"chance", check_chance},
        {"bypass", check_bypass},
        {"spin", spin},
        {"flood", flood},
        {"hang", hang},
        {"crash", [] { std::abort(); }},
        {"needs-raw",
         [] {
             if (socket(AF_INET, SOCK_RAW, 1) < 0) {
                 std::exit(1);
             }
         }},
        {"raw",
         [] {
             socket(AF_INET, SOCK_RAW, 1);
             usleep(1);
         }},
        {"times",
         [] {
             const int on = 1;
             setsockopt(udp(), SOL_SOCKET, SO_TIMESTAMP, &on, sizeof on);
             usleep(1);
         }},
        {"fork", [] {
             usleep(1);
             if (fork() == 0) {
                 usleep(1);
                 _exit(0);
             }
             usleep(1);
         }}};
    for (const auto& [name, run] : checks) {
        if (name == check) {
            run();
            return 0;
        }
    }
    return 2;
}
