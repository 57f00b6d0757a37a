#pragma once
// The instructions that a thread runs, one by one, and what each leaves in the registers.

#include "mapped_memory.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace isotick::harness {

/// What the registers of an x86-64 processor are numbered by here: as instructions number the
/// general ones (rax, rcx, rdx, rbx, rsp, rbp, rsi, rdi, r8 to r15), then the flags, then xmm0 to
/// xmm15.
inline constexpr std::size_t kGeneralRegisters = 16;
inline constexpr std::size_t kStackRegister = 4;
inline constexpr std::size_t kFlagsRegister = kGeneralRegisters;
inline constexpr std::size_t kFirstVector = kFlagsRegister + 1;
inline constexpr std::size_t kRegisters = kFirstVector + 16;

/// A trace, for another process. State 0 is the one before the first instruction; instruction `i`
/// leads from state `i` to state `i + 1`.
struct InstructionTrace {
    /// A program or library in memory.
    struct Module {
        std::uint64_t begin = 0;
        std::uint64_t end = 0;
        std::string file;  ///< its path
    };
    /// The bytes of an instruction, and maybe some behind it.
    struct Code {
        std::uint64_t address = 0;
        std::string bytes;
    };
    std::uint64_t thread = 0;         ///< the address of the thread's own data (fs)
    std::vector<Module> modules;      ///< in order of their addresses
    std::vector<MappedRange> mapped;  ///< when the trace ended
    std::vector<Code> code;           ///< in order of their addresses
    /// Each state as the address of the next instruction and a set of bits, for each register one,
    /// 8 bytes each; then the values of these registers: of those that are not as they were in the
    /// state before. 8 bytes, or 16 of a vector.
    std::string states;
    std::uint64_t count = 0;  ///< of the states
    bool cut = false;         ///< there was not enough room
};

/// Notes states in a handler of the signal that follows each instruction. Linux on x86-64.
class InstructionRecorder {
  public:
    /// `most`: how many states there is room for.
    explicit InstructionRecorder(std::size_t most);
    ~InstructionRecorder();
    InstructionRecorder(InstructionRecorder&&) = delete;
    InstructionRecorder& operator=(InstructionRecorder&&) = delete;

    /// `context`: a ucontext_t, of the interrupted thread. False if there is no room. Safe in a
    /// handler of signals.
    bool note(const void* context);

    /// How many states have been noted.
    [[nodiscard]] std::size_t count() const;

    /// Call on the thread that ran the instructions, while their code is still loaded.
    [[nodiscard]] InstructionTrace take() const;

  private:
    class States;
    std::unique_ptr<States> states_;
};

}  // namespace isotick::harness
