#include "write_watch.hpp"

#include "last_stack.hpp"
#include "own_pages.hpp"
#include "untraced.hpp"

#include <algorithm>
#include <utility>

#if defined(__linux__) && defined(__x86_64__)

#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <map>
#include <new>
#include <numeric>
#include <pthread.h>
#include <sched.h>
#include <ucontext.h>

#include <sys/mman.h>

namespace isotick::harness {
namespace {

constexpr std::size_t kMostOpen = 4;   // pages that one instruction writes to
constexpr std::uintptr_t kReach = 64;  // bytes, of the widest store
constexpr std::uintptr_t kPage = 4096;
constexpr std::uintptr_t kWord = sizeof(std::uint64_t);

// A piece of one range in which no other range lies.
struct Piece {
    std::uintptr_t begin = 0;
    std::uintptr_t end = 0;
    std::size_t place = 0;
    std::uint64_t offset = 0;  // of its beginning within the range
    std::size_t copy = 0;      // where the copies have what it held
};

std::uintptr_t address_of(const WatchedMemory& memory) {
    return reinterpret_cast<std::uintptr_t>(memory.address);
}

std::vector<Piece> pieces_of(std::span<const WatchedMemory> memory) {
    std::vector<std::size_t> order(memory.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) {
        return std::pair(address_of(memory[a]), memory[b].size) <
               std::pair(address_of(memory[b]), memory[a].size);
    });
    std::vector<Piece> pieces;
    std::vector<std::size_t> around;  // ranges that have begun, the innermost last
    std::uintptr_t done = 0;
    std::size_t copied = 0;
    const auto cut_at = [&](std::uintptr_t end) {
        const WatchedMemory& range = memory[around.back()];
        if (end > done) {
            pieces.push_back({done, end, around.back(), done - address_of(range), copied});
            copied += end - done;
            done = end;
        }
    };
    const auto end_until = [&](std::uintptr_t begin) {
        while (!around.empty()) {
            const WatchedMemory& range = memory[around.back()];
            if (address_of(range) + range.size > begin) {
                return;
            }
            cut_at(address_of(range) + range.size);
            around.pop_back();
        }
    };
    for (const std::size_t index : order) {
        const std::uintptr_t begin = address_of(memory[index]);
        end_until(begin);
        if (!around.empty()) {
            cut_at(begin);
        }
        done = std::max(done, begin);
        around.push_back(index);
    }
    end_until(UINTPTR_MAX);
    return pieces;
}

void leave_out_own_stack(std::vector<Piece>& pieces) {
    pthread_attr_t attributes;
    void* address = nullptr;
    std::size_t size = 0;
    if (pthread_getattr_np(pthread_self(), &attributes) != 0) {
        return;
    }
    pthread_attr_getstack(&attributes, &address, &size);
    pthread_attr_destroy(&attributes);
    const auto begin = reinterpret_cast<std::uintptr_t>(address);
    std::erase_if(pieces, [&](const Piece& piece) {
        return piece.begin < begin + size && piece.end > begin;
    });
}

std::vector<std::uintptr_t> pages_of(std::span<const Piece> pieces) {
    std::vector<std::uintptr_t> pages;
    for (const Piece& piece : pieces) {
        for (std::uintptr_t page = piece.begin / kPage * kPage; page < piece.end; page += kPage) {
            if (pages.empty() || pages.back() < page) {
                pages.push_back(page);
            }
        }
    }
    return pages;
}

void protect(std::uintptr_t page, std::size_t size, int how) {
    mprotect(reinterpret_cast<void*>(page), size, how);
}

// What the handlers change.
struct Seen {
    std::atomic<pthread_t> owner{0};  // the thread whose instruction runs with pages open
    std::array<std::uintptr_t, kMostOpen> faults{};
    std::size_t open = 0;
    std::size_t traps = 0;
    std::size_t writes = 0;
    bool cut = false;
    bool over = false;
    std::atomic<pthread_t> traced{0};    // the thread whose instructions are traced
    std::atomic<pthread_t> trace_of{0};  // the thread that is traced from some write on
    std::size_t trace_from = 0;
    std::atomic<bool> trace_ends{false};
    bool paused = false;  // the thread has left the trace: see Untraced
};

std::uint64_t flags_of(const ucontext_t& context) {
    return static_cast<std::uint64_t>(context.uc_mcontext.gregs[REG_EFL]);
}

void set_flags(ucontext_t& context, std::uint64_t flags) {
    context.uc_mcontext.gregs[REG_EFL] = static_cast<greg_t>(flags);
}

void step(ucontext_t& context) {
    set_flags(context, flags_of(context) | kStepFlag);
}

void do_not_step(ucontext_t& context) {
    set_flags(context, flags_of(context) & ~kStepFlag);
}

CallSite site_at(std::uintptr_t address) {
    Site site;
    describe_site(address, site);
    return call_site_of(site);
}

}  // namespace

class WriteWatch::Watch {
  public:
    Watch(std::vector<Piece> pieces, const WatchLimits& limits,
          const std::atomic<std::uint32_t>& tag)
        : pages_of_(pages_of(pieces)),
          pieces_(std::move(pieces)),
          limits_(limits),
          first_with_sites_(limits.writes - std::min(limits.writes, limits.with_sites)),
          tag_(tag),
          log_(limits.writes),
          stacks_(limits.writes - first_with_sites_),
          copies_(pieces_.empty() ? 0 : pieces_.back().copy + size_of(pieces_.back())),
          recorder_(limits.instructions),
          own_(1),
          seen_(*new (own_.data()) Seen) {
        for (const Piece& piece : pieces_) {
            std::memcpy(&copies_[piece.copy], reinterpret_cast<void*>(piece.begin), size_of(piece));
        }
    }

    void begin() {
        active = this;
        set_handler(SIGSEGV, on_fault, before_fault_);
        set_handler(SIGTRAP, on_trap, before_trap_);
        protect_all(PROT_READ);
    }

    void trace_begins(std::uint64_t from) {
        seen_.trace_from = from;
        seen_.trace_of = pthread_self();
        if (seen_.writes >= from) {
            seen_.traced = pthread_self();
            raise(SIGTRAP);
        }
    }

    void trace_ends() {
        seen_.trace_of = 0;
        seen_.trace_ends = true;
    }

    WrittenMemory end() {
        stop();
        WrittenMemory found;
        if (recorder_.count() > 0) {
            found.trace = recorder_.take();
            found.trace.cut = found.trace.cut || seen_.paused;
        }
        found.writes.assign(log_.data(), log_.data() + seen_.writes);
        found.cut = seen_.cut;
        std::map<std::uintptr_t, CallSite> known;
        for (std::size_t i = first_with_sites_; i < found.writes.size(); ++i) {
            const CallStack& stack = stacks_[i - first_with_sites_];
            std::vector<CallSite>& sites = found.sites.emplace_back();
            for (std::size_t depth = 0; depth < stack.count; ++depth) {
                const std::uintptr_t address = stack.addresses[depth];
                const auto [site, is_new] = known.try_emplace(address);
                if (is_new) {
                    site->second = site_at(address);
                }
                sites.push_back(site->second);
            }
        }
        return found;
    }

    void stop() {
        if (active != this) {
            return;
        }
        own();
        give_up();
        seen_.owner = 0;
        active = nullptr;
        sigaction(SIGSEGV, &before_fault_, nullptr);
        sigaction(SIGTRAP, &before_trap_, nullptr);
    }

  private:
    static std::size_t size_of(const Piece& piece) { return piece.end - piece.begin; }

    using Handler = void (*)(int, siginfo_t*, void*);

    static void set_handler(int signal, Handler handler, struct sigaction& before) {
        struct sigaction ours {};
        ours.sa_sigaction = handler;
        ours.sa_flags = SA_SIGINFO | SA_ONSTACK;
        sigaction(signal, &ours, &before);
    }

    static void pass_on(int signal, siginfo_t* info, void* context,
                        const struct sigaction* before) {
        if (before != nullptr && (before->sa_flags & SA_SIGINFO) != 0) {
            before->sa_sigaction(signal, info, context);
        } else if (before != nullptr && before->sa_handler != SIG_DFL &&
                   before->sa_handler != SIG_IGN) {
            before->sa_handler(signal);
        } else {  // the same fault again ends the process, as it would have
            ::signal(signal, SIG_DFL);
        }
    }

    static void on_fault(int signal, siginfo_t* info, void* context) {
        Watch* const watch = active;
        const auto address = reinterpret_cast<std::uintptr_t>(info->si_addr);
        if (watch == nullptr || info->si_code != SEGV_ACCERR ||
            !std::ranges::binary_search(watch->pages_of_, address / kPage * kPage)) {
            pass_on(signal, info, context, watch == nullptr ? nullptr : &watch->before_fault_);
            return;
        }
        const int error = errno;
        watch->let_through(address, *static_cast<ucontext_t*>(context));
        errno = error;
    }

    static void on_trap(int signal, siginfo_t* info, void* context) {
        Watch* const watch = active;
        const bool is_open =
            watch != nullptr && watch->seen_.owner == pthread_self() && watch->seen_.open > 0;
        const bool is_traced = watch != nullptr && watch->seen_.traced == pthread_self();
        if (!is_open && !is_traced) {
            pass_on(signal, info, context, watch == nullptr ? nullptr : &watch->before_trap_);
            return;
        }
        const int error = errno;
        auto& interrupted = *static_cast<ucontext_t*>(context);
        const bool was_cleared =  // by the instruction itself
            info->si_code > 0 && (flags_of(interrupted) & kStepFlag) == 0;
        if (is_open) {
            watch->look(interrupted);
        }
        if (is_traced || watch->begins_to_trace()) {
            watch->trace(interrupted, was_cleared);
        }
        errno = error;
    }

    void own() {
        pthread_t nobody = 0;
        while (!seen_.owner.compare_exchange_weak(nobody, pthread_self())) {
            nobody = 0;
            sched_yield();
        }
    }

    // The instruction runs again, with the page open, and then traps.
    void let_through(std::uintptr_t address, ucontext_t& context) {
        if (seen_.owner != pthread_self()) {
            own();
        }
        if (seen_.over) {  // meanwhile, by another thread
            seen_.owner = 0;
            return;
        }
        if (seen_.open == kMostOpen) {
            give_up();
            seen_.cut = true;
            seen_.open = 0;
            seen_.owner = 0;
            return;
        }
        seen_.faults[seen_.open++] = address;
        protect(address / kPage * kPage, kPage, PROT_READ | PROT_WRITE);
        step(context);
    }

    void look(ucontext_t& context) {
        do_not_step(context);
        const auto before = seen_.writes;
        for (std::size_t i = 0; i < seen_.open; ++i) {
            compare(seen_.faults[i] - kReach, seen_.faults[i] + kReach);
        }
        for (std::size_t i = 0; i < seen_.open; ++i) {
            protect(seen_.faults[i] / kPage * kPage, kPage, PROT_READ);
        }
        seen_.open = 0;
        if (seen_.writes > std::max<std::size_t>(before, first_with_sites_)) {
            note_stacks(before, static_cast<std::uintptr_t>(context.uc_mcontext.gregs[REG_RIP]));
        }
        if (seen_.writes == limits_.writes || ++seen_.traps == limits_.traps) {
            give_up();
            seen_.cut = true;
        }
        seen_.owner = 0;
    }

    bool begins_to_trace() {
        if (seen_.trace_of != pthread_self() || seen_.traced != 0 || recorder_.count() > 0 ||
            seen_.writes < seen_.trace_from) {
            return false;
        }
        seen_.traced = pthread_self();
        return true;
    }

    void trace(ucontext_t& context, bool is_paused) {
        seen_.paused = is_paused;
        if (!recorder_.note(&context) || seen_.trace_ends || seen_.over) {
            seen_.traced = 0;
            do_not_step(context);
        } else if (!is_paused) {
            step(context);
        }
    }

    // Of the writes from number `first` on. Unwinding may write anywhere.
    void note_stacks(std::size_t first, std::uintptr_t from) {
        protect_all(PROT_READ | PROT_WRITE);
        const CallStack stack = call_stack_from(from);
        for (std::size_t i = std::max(first, first_with_sites_); i < seen_.writes; ++i) {
            stacks_[i - first_with_sites_] = stack;
        }
        protect_all(PROT_READ);
    }

    void compare(std::uintptr_t begin, std::uintptr_t end) {
        auto piece = std::ranges::upper_bound(pieces_, begin, {}, &Piece::end);
        for (; piece != pieces_.end() && piece->begin < end; ++piece) {
            compare(*piece, std::max(begin, piece->begin), std::min(end, piece->end));
        }
    }

    void compare(const Piece& piece, std::uintptr_t begin, std::uintptr_t end) {
        for (std::uintptr_t at = begin; at < end; ++at) {
            const auto now = *reinterpret_cast<const std::uint8_t*>(at);
            if (now == copies_[piece.copy + (at - piece.begin)]) {
                continue;
            }
            const std::uint64_t offset = piece.offset + (at - piece.begin);
            const std::uint64_t in_word = std::min<std::uint64_t>(offset % kWord, at - piece.begin);
            const std::uintptr_t word = at - in_word;
            const std::size_t size =
                std::min<std::size_t>(kWord - (offset - in_word) % kWord, piece.end - word);
            note(piece, word, size, offset);
            at = word + size - 1;
        }
    }

    void note(const Piece& piece, std::uintptr_t word, std::size_t size, std::uint64_t offset) {
        std::uint8_t* const copy = &copies_[piece.copy + (word - piece.begin)];
        MemoryWrite write{.place = piece.place,
                          .offset = offset,
                          .word = piece.offset + (word - piece.begin),
                          .tag = tag_.load(),
                          .number = seen_.writes,
                          .instruction = seen_.traced == pthread_self() ? recorder_.count() : 0};
        std::memcpy(&write.before, copy, size);
        std::memcpy(&write.after, reinterpret_cast<const void*>(word), size);
        std::memcpy(copy, reinterpret_cast<const void*>(word), size);
        if (seen_.writes < limits_.writes) {
            log_[seen_.writes++] = write;
        }
    }

    void give_up() {
        seen_.over = true;
        protect_all(PROT_READ | PROT_WRITE);
    }

    void protect_all(int how) {
        for (std::size_t first = 0; first < pages_of_.size();) {
            std::size_t last = first + 1;
            while (last < pages_of_.size() && pages_of_[last] == pages_of_[last - 1] + kPage) {
                ++last;
            }
            protect(pages_of_[first], (last - first) * kPage, how);
            first = last;
        }
    }

    static Watch* active;

    std::vector<std::uintptr_t> pages_of_;  // sorted; as the pieces only read while it watches
    std::vector<Piece> pieces_;             // likewise
    WatchLimits limits_;
    std::size_t first_with_sites_;
    const std::atomic<std::uint32_t>& tag_;
    OwnPages<MemoryWrite> log_;
    OwnPages<CallStack> stacks_;
    OwnPages<std::uint8_t> copies_;
    InstructionRecorder recorder_;
    OwnPages<Seen> own_;
    Seen& seen_;
    struct sigaction before_fault_ {};
    struct sigaction before_trap_ {};
};

WriteWatch::Watch* WriteWatch::Watch::active = nullptr;

bool WriteWatch::is_possible() {
    return true;
}

WriteWatch::WriteWatch(std::span<const WatchedMemory> memory, const WatchLimits& limits,
                       const std::atomic<std::uint32_t>& tag) {
    std::vector<Piece> pieces = pieces_of(memory);
    leave_out_own_stack(pieces);
    watch_ = std::make_unique<Watch>(std::move(pieces), limits, tag);
    watch_->begin();
}

WriteWatch::~WriteWatch() {
    if (watch_) {
        watch_->stop();
    }
}

WriteWatch::WriteWatch(WriteWatch&&) noexcept = default;

void WriteWatch::trace_begins(std::uint64_t from) {
    watch_->trace_begins(from);
}

void WriteWatch::trace_ends() {
    watch_->trace_ends();
}

WrittenMemory WriteWatch::end() {
    return watch_->end();
}

}  // namespace isotick::harness

#else

namespace isotick::harness {

class WriteWatch::Watch {};

bool WriteWatch::is_possible() {
    return false;
}

WriteWatch::WriteWatch(std::span<const WatchedMemory>, const WatchLimits&,
                       const std::atomic<std::uint32_t>&) {}
WriteWatch::~WriteWatch() = default;
WriteWatch::WriteWatch(WriteWatch&&) noexcept = default;

void WriteWatch::trace_begins(std::uint64_t) {}

void WriteWatch::trace_ends() {}

WrittenMemory WriteWatch::end() {
    return {};
}

}  // namespace isotick::harness

#endif
