#include "library.hpp"

#include "../untraced.hpp"
#include "chance.hpp"
#include "clock.hpp"

#include <cstdarg>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <unistd.h>
#include <unwind.h>

#include <linux/futex.h>
#include <sys/mman.h>
#include <sys/syscall.h>

namespace isotick::harness::preload {
namespace {

Page* the_page = nullptr;
std::uintptr_t own_base = 0;  // where this library is loaded
const Settings kNothing;
thread_local int unseen = 0;  // guards in this thread
thread_local AsUsual as_usual = AsUsual::no;

Page* open_page() {
    const char* path = std::getenv(kPageVariable);
    const int file = path == nullptr ? -1 : open(path, O_RDWR | O_CLOEXEC);
    if (file < 0) {
        return nullptr;
    }
    void* mapped = mmap(nullptr, sizeof(Page), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    close(file);
    return mapped == MAP_FAILED ? nullptr : static_cast<Page*>(mapped);
}

void begin() {
    begin_clock(Shown::by_date);
    begin_chance();
    begin_heap();
    begin_names();
    begin_counter();
}

// What the C library's generators hold is the simulation's own by now.
void begin_on_the_way() {
    begin_clock(Shown::as_before);
    begin_heap();
    begin_names();
    begin_counter();
}

__attribute__((constructor)) void load() {
    Dl_info here{};
    if (dladdr(reinterpret_cast<void*>(&load), &here) != 0) {
        own_base = reinterpret_cast<std::uintptr_t>(here.dli_fbase);
    }
    the_page = open_page();
    begin_notes();
    if (the_page != nullptr && the_page->armed != 0) {  // a trial has started this process
        begin();
    }
}

void copy(const char* text, char* to, std::size_t size) {
    std::strncpy(to, text, size - 1);
    to[size - 1] = '\0';
}

struct Stack {
    std::uintptr_t from;  // the innermost frame that counts; 0: the first that is not our own
    std::uint64_t place;
    std::size_t count = 0;
    std::array<std::uintptr_t, kMostSites> addresses{};
};

// Hashes offsets from where each file is loaded, so a place is the same in every process.
_Unwind_Reason_Code take_frame(_Unwind_Context* context, void* given) {
    auto& stack = *static_cast<Stack*>(given);
    const std::uintptr_t address = _Unwind_GetIP(context);
    if (address == 0 || stack.count >= kMostSites) {
        return _URC_END_OF_STACK;
    }
    if (stack.from == 0 || stack.from == address) {
        stack.from = 0;
        Dl_info info{};
        const bool is_known = dladdr(reinterpret_cast<void*>(address), &info) != 0;
        const auto base = is_known ? reinterpret_cast<std::uintptr_t>(info.dli_fbase) : 0;
        if (base != own_base) {
            stack.addresses[stack.count++] = address;
            stack.place = mixed(stack.place, address - base);
        }
    }
    return _URC_NO_REASON;
}

std::uint64_t place_of(const char* name) {
    std::uint64_t place = 0;
    for (; *name != '\0'; ++name) {
        place = mixed(place, static_cast<unsigned char>(*name));
    }
    return place;
}

void write_call(const char* name, const Stack& stack, Call& call) {
    call.activity = the_page->progress.activity;
    call.tick = the_page->progress.tick;
    copy(name, call.name.data(), call.name.size());
    call.sites_count = stack.count;
    for (std::size_t i = 0; i < stack.count; ++i) {
        describe_site(stack.addresses[i], call.sites[i]);
    }
}

// The first call from each place.
void keep(const char* name, const Stack& stack, Places& places) {
    for (std::size_t i = 0; i < Places::kMost; ++i) {
        std::uint32_t free = Places::kFree;
        if (places.states[i].compare_exchange_strong(free, Places::kTaken)) {
            const std::uint32_t index = the_page->calls_used.fetch_add(1);
            if (index < the_page->calls.size()) {
                places.places[i] = stack.place;
                places.calls[i] = index;
                write_call(name, stack, the_page->calls[index]);
                places.states[i].store(Places::kWritten, std::memory_order_release);
            }
            return;
        }
        if (places.places[i] == stack.place) {
            return;
        }
    }
}

bool is_known_function(const char* name, const Places& places) {
    for (std::size_t i = 0; i < Places::kMost; ++i) {
        if (places.states[i].load(std::memory_order_acquire) == Places::kWritten) {
            const auto& known = the_page->calls[places.calls[i] % the_page->calls.size()].name;
            if (std::strncmp(known.data(), name, known.size() - 1) == 0) {
                return true;
            }
        }
    }
    return false;
}

bool is_worth_a_look(const char* name, Places& places) {
    const std::uint32_t looks = places.looks.load(std::memory_order_relaxed);
    if (looks < Places::kFirstLooks) {
        return true;
    }
    const std::uint64_t tick = the_page->progress.tick.load(std::memory_order_relaxed);
    return looks < Places::kMostLooks &&
           (places.looked_in.exchange(tick, std::memory_order_relaxed) != tick ||
            !is_known_function(name, places));
}

}  // namespace

Page* page() {
    return the_page;
}

const Settings& settings() {
    return the_page != nullptr && unseen == 0 && as_usual == AsUsual::no &&
                   the_page->armed.load(std::memory_order_acquire) != 0
               ? the_page->settings
               : kNothing;
}

std::uint64_t note(Source source, const char* call) {
    return note_interrupted(source, call, 0);
}

std::uint64_t note_interrupted(Source source, const char* call, std::uintptr_t address) {
    if (the_page == nullptr || unseen != 0) {
        return 0;
    }
    Reads& reads = the_page->reads[static_cast<std::size_t>(source)];
    reads.count.fetch_add(1, std::memory_order_relaxed);
    const bool is_creating = the_page->progress.activity.load(std::memory_order_relaxed) ==
                             static_cast<std::uint32_t>(Activity::creating);
    Places& places = is_creating ? reads.creating : reads.later;
    const bool looks = is_worth_a_look(call, places);
    if (!looks && settings().usual_place == 0) {
        return 0;
    }
    const Untraced untraced;
    Stack stack{address, place_of(call)};
    _Unwind_Backtrace(take_frame, &stack);
    if (looks) {
        places.looks.fetch_add(1, std::memory_order_relaxed);
        keep(call, stack, places);
    }
    return stack.place;
}

bool is_left_as_usual() {
    return as_usual == AsUsual::this_call;
}

AskedForChance::AskedForChance(const char* call) : before_(as_usual) {
    const std::uint64_t place = note(Source::chance, call);
    if (as_usual != AsUsual::no) {
        as_usual = AsUsual::call_around;
    } else if (place != 0 && place == settings().usual_place) {
        as_usual = AsUsual::this_call;
    }
}

AskedForChance::~AskedForChance() {
    as_usual = before_;
}

void change_unseen(int by) {
    unseen += by;
}

bool is_unseen() {
    return unseen != 0;
}

}  // namespace isotick::harness::preload

using isotick::harness::preload::Page;

/// For the worker: the page, and what is to begin once it is armed.
ISOTICK_INTERPOSED Page* isotick_preload_page() {
    return isotick::harness::preload::page();
}

ISOTICK_INTERPOSED void isotick_preload_unseen(int by) {
    isotick::harness::preload::change_unseen(by);
}

ISOTICK_INTERPOSED void isotick_preload_note_libraries() {
    isotick::harness::preload::note_libraries();
}

ISOTICK_INTERPOSED void isotick_preload_begin() {
    isotick::harness::preload::begin();
}

ISOTICK_INTERPOSED void isotick_preload_change() {
    isotick::harness::preload::begin_on_the_way();
}
// Calls of the system without a function of their own. The C++ library waits for futures so, and
// some programs ask for time or random bytes so.

using namespace isotick::harness::preload;

namespace {

using SystemCall = long(long, ...);

struct Arguments {
    long given[6];
};

long call(SystemCall* next_syscall, long number, const Arguments& with) {
    const auto& given = with.given;
    return next_syscall(number, given[0], given[1], given[2], given[3], given[4], given[5]);
}

long wait_for_word(SystemCall* next_syscall, Arguments with) {
    const bool date = (with.given[1] & FUTEX_CLOCK_REALTIME) != 0;
    const clockid_t clock = date ? CLOCK_REALTIME : CLOCK_MONOTONIC;
    const auto* shown_as = reinterpret_cast<const timespec*>(with.given[3]);
    timespec real{};
    if (shown_as != nullptr && clocks_are_changed()) {
        real = real_deadline(clock, *shown_as);
        with.given[3] = reinterpret_cast<long>(&real);
    }
    return call(next_syscall, SYS_futex, with);
}

}  // namespace

ISOTICK_INTERPOSED long syscall(long number, ...) noexcept {
    Arguments with{};
    va_list list;
    va_start(list, number);
    for (long& one : with.given) {
        one = va_arg(list, long);
    }
    va_end(list);
    static SystemCall* next_syscall = nullptr;
    if (next_syscall == nullptr) {
        next_syscall = next<SystemCall>("syscall");
    }
    switch (number) {
        case SYS_futex:
            return (with.given[1] & FUTEX_CMD_MASK) == FUTEX_WAIT_BITSET
                       ? wait_for_word(next_syscall, with)
                       : call(next_syscall, number, with);
        case SYS_clock_gettime:
            return clock_gettime(static_cast<clockid_t>(with.given[0]),
                                 reinterpret_cast<timespec*>(with.given[1]));
        case SYS_getrandom: {
            const AskedForChance asked("getrandom");
            return fill_by_chance(reinterpret_cast<void*>(with.given[0]),
                                  static_cast<std::size_t>(with.given[1]))
                       ? with.given[1]
                       : call(next_syscall, number, with);
        }
        default:
            return call(next_syscall, number, with);
    }
}
