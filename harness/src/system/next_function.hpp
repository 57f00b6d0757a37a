#pragma once
// For libraries that are loaded before all others: what would be called without them.

#include <dlfcn.h>

namespace isotick::harness {

/// The function that would have been called without this library. `name` must be there.
template <class Function>
Function* next(const char* name) {
    return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}

/// Looks a function up once.
#define ISOTICK_NEXT(function)                                                     \
    static decltype(&::function) next_##function = nullptr;                        \
    if (next_##function == nullptr) {                                              \
        next_##function = isotick::harness::next<decltype(::function)>(#function); \
    }

}  // namespace isotick::harness
