#pragma once
// A trace of instructions, decoded: which registers and which memory each of them reads and writes.

#include "../system/instruction_trace.hpp"

#include <isotick/harness/detail/system_reads.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

namespace isotick::harness {

/// What a register holds; the second half is 0 but in a vector's.
using RegisterValue = std::array<std::uint64_t, 2>;

/// What an instruction does, whatever the registers hold.
struct Operation {
    enum class Kind {
        other,
        call,
        compares,
        asks_processor,  ///< what need not be the same twice: rdtsc, cpuid, rdrand
        asks_system,
    };
    struct Read {
        std::size_t from = 0;  ///< a register
        RegisterValue bits{};  ///< those of it that are read
    };
    /// Where in memory it reads or writes: base + index * scale + displacement.
    struct Operand {
        std::uint64_t size = 0;  ///< in bytes; 0: it does not
        std::optional<std::size_t> base{};
        std::optional<std::size_t> index{};
        std::uint64_t scale = 1;
        std::uint64_t displacement = 0;
        bool is_of_thread = false;  ///< from where the thread's own data lie
        bool is_pushed = false;     ///< where the stack then begins
    };
    Kind kind = Kind::other;
    std::vector<Read> reads{};  ///< other than for addresses of memory
    std::uint64_t writes = 0;   ///< a bit for each register
    Operand from{};
    Operand to{};
};

/// A range of a process's memory.
struct MemoryOperand {
    std::uint64_t address = 0;
    std::uint64_t size = 0;  ///< 0: none
};

/// The instructions of one step, by their numbers, from 0 on.
class TracedStep {
  public:
    /// A trace that cannot be read, or to its end, has the instructions before that. `trace` must
    /// outlive this.
    explicit TracedStep(const InstructionTrace& trace);
    TracedStep(TracedStep&&) = delete;
    TracedStep& operator=(TracedStep&&) = delete;

    [[nodiscard]] std::size_t size() const { return steps_.size(); }
    [[nodiscard]] const Operation& operation(std::size_t at) const { return *steps_[at].operation; }
    [[nodiscard]] MemoryOperand read(std::size_t at) const { return steps_[at].from; }
    [[nodiscard]] MemoryOperand write(std::size_t at) const { return steps_[at].to; }

    /// A place in a program or library, the same in each process. Elsewhere the file is empty.
    struct Place {
        std::string_view file;
        std::uint64_t offset = 0;  ///< from where it is loaded; elsewhere the address
        friend auto operator<=>(const Place&, const Place&) = default;
    };
    [[nodiscard]] Place place(std::size_t at) const { return place_of(steps_[at].address); }
    [[nodiscard]] Place place_of(std::uint64_t address) const;

    /// How many traced calls have not returned.
    [[nodiscard]] std::size_t depth(std::size_t at) const { return steps_[at].depth; }

    /// What a register holds in front of an instruction.
    [[nodiscard]] RegisterValue value(std::size_t of, std::size_t at) const;

    /// Whether it may be an address outside of programs and libraries: on the stack, in the heap.
    [[nodiscard]] bool is_on_heap_or_stack(std::uint64_t word) const;

    /// The last instruction in front of `before` that writes there.
    [[nodiscard]] std::optional<std::size_t> last_writer(std::size_t to, std::size_t before) const;
    [[nodiscard]] std::optional<std::size_t> last_writer(const MemoryOperand& to,
                                                         std::size_t before) const;

    /// Whether any instruction from `begin` up to `end` calls the system.
    [[nodiscard]] bool asks_system(std::size_t begin, std::size_t end) const;

    /// Whether any of these calls may write to the program's memory.
    [[nodiscard]] bool may_be_written_by_system(std::size_t begin, std::size_t end) const;

    /// The instruction's call stack, as far as the calls were traced, the innermost first.
    [[nodiscard]] std::vector<CallSite> stack(std::size_t at) const;

  private:
    struct OneStep {
        std::uint64_t address = 0;
        const Operation* operation = nullptr;
        MemoryOperand from{};
        MemoryOperand to{};
        std::size_t depth = 0;
        std::size_t called_by = 0;  // the instruction, from 1; 0: not traced
    };
    class Reader;

    [[nodiscard]] const InstructionTrace::Module* module_at(std::uint64_t address) const;
    [[nodiscard]] MemoryOperand memory_of(const Operation::Operand& operand, std::size_t at) const;

    const InstructionTrace& trace_;
    std::map<std::uint64_t, Operation> operations_;  // by address
    std::vector<OneStep> steps_;
    // Of each register, from which state on it has which value.
    std::array<std::vector<std::pair<std::size_t, RegisterValue>>, kRegisters> history_;
};

}  // namespace isotick::harness
