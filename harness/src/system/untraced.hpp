#pragma once
// How isotick's own code inside a traced process keeps out of the trace: it clears the flag by
// which the processor traps after each instruction, and sets it again afterwards.

#include <cstdint>

namespace isotick::harness {

#ifdef __x86_64__
inline constexpr std::uint64_t kStepFlag =
    0x100;  ///< of the flags: trap after the next instruction

/// While it lives, the calling thread is not traced.
class Untraced {
  public:
    Untraced() : was_traced_((__builtin_ia32_readeflags_u64() & kStepFlag) != 0) {
        if (was_traced_) {
            __builtin_ia32_writeeflags_u64(__builtin_ia32_readeflags_u64() & ~kStepFlag);
        }
    }
    ~Untraced() {
        if (was_traced_) {
            __builtin_ia32_writeeflags_u64(__builtin_ia32_readeflags_u64() | kStepFlag);
        }
    }
    Untraced(const Untraced&) = delete;
    Untraced& operator=(const Untraced&) = delete;

  private:
    bool was_traced_;
};
#else
struct Untraced {};  ///< nothing is traced there
#endif

}  // namespace isotick::harness
