#include "peer_seat.hpp"

#include "../system/posix.hpp"

#include <isotick/core/detail/try.hpp>

#include <algorithm>
#include <climits>
#include <cstdlib>
#include <cstring>
#include <elf.h>
#include <fcntl.h>
#include <fstream>
#include <new>
#include <string>
#include <thread>
#include <unistd.h>
#include <utility>

#include <linux/futex.h>
#include <sys/stat.h>
#include <sys/syscall.h>

namespace isotick::harness::netplay {
namespace {

using core::ErrorCode;
using core::Result;

constexpr auto kPeerTurn = static_cast<std::uint32_t>(Turn::peer);

long futex(std::atomic<std::uint32_t>& word, int operation, std::uint32_t value,
           const timespec* patience = nullptr) {
    return syscall(SYS_futex, &word, operation, value, patience, nullptr, 0);
}

// As a shell finds it.
std::string path_of_program(const std::string& program) {
    if (program.find('/') != std::string::npos) {
        return program;
    }
    const char* variable = getenv("PATH");
    std::string_view folders = variable == nullptr ? "/usr/bin:/bin" : variable;
    while (!folders.empty()) {
        const std::size_t end = std::min(folders.find(':'), folders.size());
        std::string path = std::string(folders.substr(0, end)) + "/" + program;
        if (access(path.c_str(), X_OK) == 0) {
            return path;
        }
        folders.remove_prefix(std::min(end + 1, folders.size()));
    }
    return program;
}

// Whether it is a program of this machine that loads no library.
bool is_static(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    Elf64_Ehdr head{};
    file.read(reinterpret_cast<char*>(&head), sizeof head);
    if (!file || std::memcmp(head.e_ident, ELFMAG, SELFMAG) != 0 ||
        head.e_ident[EI_CLASS] != ELFCLASS64) {
        return false;
    }
    for (unsigned i = 0; i < head.e_phnum; ++i) {
        Elf64_Phdr segment{};
        file.seekg(static_cast<std::streamoff>(head.e_phoff + i * sizeof segment));
        file.read(reinterpret_cast<char*>(&segment), sizeof segment);
        if (file && segment.p_type == PT_INTERP) {
            return false;
        }
    }
    return true;
}

// Neither gone nor a zombie.
bool runs(std::int32_t process) {
    std::ifstream file("/proc/" + std::to_string(process) + "/stat");
    std::string text;
    std::getline(file, text);
    const std::size_t state = text.rfind(") ");
    return state != std::string::npos && text.substr(state + 2, 1).find_first_of("ZX") != 0;
}

// Last wins: what is set twice has the later value.
void set(std::vector<std::string>& environment, const std::string& name, const std::string& value) {
    std::erase_if(environment,
                  [&](const std::string& each) { return each.starts_with(name + "="); });
    environment.push_back(name + "=" + value);
}

std::string value_of(const std::vector<std::string>& environment, const std::string& name) {
    const auto found = std::ranges::find_if(
        environment, [&](const std::string& each) { return each.starts_with(name + "="); });
    return found == environment.end() ? "" : found->substr(name.size() + 1);
}

}  // namespace

std::string_view words_of(Refused reason) {
    switch (reason) {
        case Refused::nothing:
            return "";
        case Refused::raw_socket:
            return "it asked for a raw socket, which netplay has not";
        case Refused::other_protocol:
            return "it asked for a socket that is neither UDP nor TCP, which netplay has not";
        case Refused::packet_times:
            return "it asked for the times of packets (SO_TIMESTAMP), which netplay does not tell";
        case Refused::io_uring:
            return "it asked for io_uring, which netplay has not";
        case Refused::second_process:
            return "two of its processes use sockets, clocks or threads: netplay drives only one";
    }
    return "";
}

Result<void> check_program(const std::string& program) {
    const std::string path = path_of_program(program);
    struct stat status {};
    if (stat(path.c_str(), &status) != 0) {
        return core::fail(ErrorCode::usage, "there is no program " + path);
    }
    if (!S_ISREG(status.st_mode) || access(path.c_str(), X_OK) != 0) {
        return core::fail(ErrorCode::usage, path + " is not executable");
    }
    if (is_static(path)) {
        return core::fail(ErrorCode::usage,
                          path +
                              " is statically linked: nothing can answer its clocks and "
                              "sockets. Link it dynamically");
    }
    if ((status.st_mode & (S_ISUID | S_ISGID)) != 0) {
        return core::fail(ErrorCode::usage,
                          path +
                              " changes its user (set-user-ID): the system loads no library "
                              "into it that would answer its clocks and sockets");
    }
    return {};
}

PeerSeat::PeerSeat(Process process, Page* page, FileDescriptor file)
    : process_(std::move(process)), page_(page), file_(std::move(file)) {}

PeerSeat::PeerSeat(PeerSeat&& other) noexcept
    : process_(std::move(other.process_)),
      page_(std::exchange(other.page_, nullptr)),
      file_(std::move(other.file_)),
      end_(other.end_) {}

PeerSeat::~PeerSeat() {
    if (page_ != nullptr) {
        kill();
        unmap(page_, sizeof(Page));
    }
}

Result<PeerSeat> PeerSeat::start(const PeerStart& start, int library) {
    // The date of a session: that of everybody's, so that nothing depends on when it runs.
    constexpr std::int64_t kDate = 1'767'225'600'000'000'000;  // 2026-01-01
    constexpr std::int64_t kUptime = 1'000'000'000'000;
    ISOTICK_TRY_ASSIGN(auto file, file_of_size(sizeof(Page)));
    void* const memory = map_shared(file.get(), sizeof(Page));
    if (memory == nullptr) {
        return system_failure("cannot share memory with a peer");
    }
    auto* const page = new (memory) Page;
    page->self = start.self;
    page->peers = start.peers;
    page->chance = start.chance;
    page->date_ns = kDate;
    page->clock_ns = kUptime;
    page->now_ns = start.now_ns;

    const FileDescriptor output(
        ::open(start.output.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600));
    if (output.get() < 0) {
        return system_failure("cannot write " + start.output);
    }
    Start process{"cannot start a peer",
                  path_of_program(start.words.front()),
                  start.words,
                  start.environment,
                  {}};
    const std::string before = value_of(process.environment, "LD_PRELOAD");
    set(process.environment, "LD_PRELOAD",
        path_for_others(library) + (before.empty() ? "" : " " + before));
    set(process.environment, kPageVariable, path_for_others(file.get()));
    if (value_of(process.environment, "PYTHONHASHSEED").empty()) {
        set(process.environment, "PYTHONHASHSEED", "0");
    }
    process.files = {{output.get(), STDOUT_FILENO}, {output.get(), STDERR_FILENO}};
    process.without_input = true;
    process.leads_group = true;
    process.usual_signals = true;
    process.personality = kFixedAddresses;
    auto started = start_program(std::move(process));
    if (!started) {
        unmap(page, sizeof(Page));
        return core::fail(ErrorCode::usage, started.error().message + ": " + start.words.front());
    }
    return PeerSeat(std::move(*started), page, std::move(file));
}

PeerSeat::Turned PeerSeat::run(std::int64_t now_ns, std::chrono::milliseconds patience) {
    using std::chrono::steady_clock;
    page_->now_ns = now_ns;
    page_->turn.store(kPeerTurn, std::memory_order_release);
    futex(page_->turn, FUTEX_WAKE, INT_MAX);
    const auto deadline = steady_clock::now() + patience;
    auto slice = std::chrono::milliseconds(1);
    while (page_->turn.load(std::memory_order_acquire) == kPeerTurn) {
        const timespec wait{0, std::chrono::nanoseconds(slice).count()};
        futex(page_->turn, FUTEX_WAIT, kPeerTurn, &wait);
        if (page_->turn.load(std::memory_order_acquire) != kPeerTurn) {
            break;
        }
        slice = std::min(slice * 2, std::chrono::milliseconds(32));
        if (process_.has_ended()) {
            hear_copies();
            end_ = process_.wait();
            return Turned::ended;
        }
        if (steady_clock::now() >= deadline) {
            return Turned::timed_out;
        }
    }
    if (page_->leaving != 0) {
        hear_copies();
        end_ = process_.wait(patience);
        return end_ ? Turned::ended : Turned::timed_out;
    }
    return Turned::waits;
}

// A copy that is about to use a socket may be slower than the peer is to end.
void PeerSeat::hear_copies() const {
    using std::chrono::steady_clock;
    const auto deadline = steady_clock::now() + std::chrono::milliseconds(250);
    const auto may_speak = [&] {
        return page_->arrived < page_->forks ||
               std::ranges::any_of(page_->copies,
                                   [](const auto& copy) { return copy != 0 && runs(copy); });
    };
    while (page_->refused == 0 && may_speak() && steady_clock::now() < deadline) {
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
}

void PeerSeat::interrupt() {
    page_->interrupted = 1;
    process_.signal(SIGTERM);
}

ProcessEnd PeerSeat::kill() {
    if (!end_) {
        process_.kill();
        end_ = process_.wait();
    }
    return *end_;
}

bool PeerSeat::has_room(std::size_t size) const {
    return page_->received.has_room(static_cast<std::uint32_t>(size));
}

void PeerSeat::put_received(const PacketHead& head, std::span<const std::byte> bytes) {
    Packets& received = page_->received;
    std::memcpy(&received.bytes[received.used], &head, sizeof head);
    received.used += static_cast<std::uint32_t>(sizeof head);
    if (!bytes.empty()) {
        std::memcpy(&received.bytes[received.used], bytes.data(), bytes.size());
        received.used += padded(head.size);
    }
}

}  // namespace isotick::harness::netplay
