#pragma once
// Call stacks of the calling thread, taken without allocating memory, as a signal handler must.
// All of it is inline: the library that is loaded before a simulation has no other code of ours.

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <dlfcn.h>
#include <unistd.h>
#include <unwind.h>

namespace isotick::harness {

/// Where a call came from, like CallSite, for shared memory.
struct Site {
    std::array<char, 504> file{};  ///< path of the program or library; cut if longer
    std::uint64_t offset = 0;      ///< of the address behind the call, from where it is loaded
};

struct CallStack {
    static constexpr std::size_t kMost = 32;
    std::size_t count = 0;
    std::array<std::uintptr_t, kMost> addresses{};  ///< behind each call, the innermost first
};

/// The calls that led to `from`, an address in a function that has not returned. Empty if no such
/// function is found.
inline CallStack call_stack_from(std::uintptr_t from) {
    struct Taking {
        CallStack stack{};
        std::uintptr_t from = 0;
    } taking{.from = from};
    const auto take = [](_Unwind_Context* context, void* given) {
        auto& [stack, awaited] = *static_cast<Taking*>(given);
        const std::uintptr_t address = _Unwind_GetIP(context);
        if (address == 0 || stack.count == CallStack::kMost) {
            return _URC_END_OF_STACK;
        }
        if (awaited == 0 || awaited == address) {
            awaited = 0;
            stack.addresses[stack.count++] = address;
        }
        return _URC_NO_REASON;
    };
    _Unwind_Backtrace(take, &taking);
    return taking.stack;
}

inline void describe_site(std::uintptr_t address, Site& site) {
    Dl_info info{};
    site.file = {};
    site.offset = address;
    if (dladdr(reinterpret_cast<void*>(address), &info) == 0) {
        return;
    }
    site.offset = address - reinterpret_cast<std::uintptr_t>(info.dli_fbase);
    if (info.dli_fname[0] == '/') {
        std::strncpy(site.file.data(), info.dli_fname, site.file.size() - 1);
        return;
    }
    // The program itself, as it was named by who started it.
    if (readlink("/proc/self/exe", site.file.data(), site.file.size() - 1) < 0) {
        site.file = {};
    }
}

}  // namespace isotick::harness
