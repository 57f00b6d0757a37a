#include "traced_step.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <span>

#include <Zydis/Zydis.h>

namespace isotick::harness {
namespace {

constexpr std::size_t kCallRegister = 0;  // rax, which says what the system is asked for
constexpr RegisterValue kAllBits{~std::uint64_t{0}, ~std::uint64_t{0}};

RegisterValue low_bits(std::size_t count) {
    const auto bits = [](std::size_t of_word) {
        return of_word >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << of_word) - 1;
    };
    return {bits(count), bits(count > 64 ? count - 64 : 0)};
}

// By the numbers of InstructionTrace; none: one that traces do not have.
std::optional<std::size_t> number_of(ZydisRegister name) {
    const ZydisRegister whole = ZydisRegisterGetLargestEnclosing(ZYDIS_MACHINE_MODE_LONG_64, name);
    const auto in = [whole](ZydisRegister first, std::size_t count) {
        return whole >= first && whole < first + static_cast<int>(count);
    };
    if (in(ZYDIS_REGISTER_RAX, kGeneralRegisters)) {
        return static_cast<std::size_t>(whole - ZYDIS_REGISTER_RAX);
    }
    if (in(ZYDIS_REGISTER_ZMM0, kRegisters - kFirstVector)) {
        return kFirstVector + static_cast<std::size_t>(whole - ZYDIS_REGISTER_ZMM0);
    }
    return ZydisRegisterGetClass(name) == ZYDIS_REGCLASS_FLAGS ? std::optional(kFlagsRegister)
                                                               : std::nullopt;
}

Operation::Kind kind_of(const ZydisDecodedInstruction& one) {
    switch (one.mnemonic) {
        case ZYDIS_MNEMONIC_CALL:
            return Operation::Kind::call;
        case ZYDIS_MNEMONIC_CMP:
            return Operation::Kind::compares;
        case ZYDIS_MNEMONIC_SYSCALL:
            return Operation::Kind::asks_system;
        case ZYDIS_MNEMONIC_RDTSC:
        case ZYDIS_MNEMONIC_RDTSCP:
        case ZYDIS_MNEMONIC_RDRAND:
        case ZYDIS_MNEMONIC_RDSEED:
        case ZYDIS_MNEMONIC_RDPID:
        case ZYDIS_MNEMONIC_CPUID:
            return Operation::Kind::asks_processor;
        default:
            return Operation::Kind::other;
    }
}

class Decoder {
  public:
    Decoder() { ZydisDecoderInit(&decoder_, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64); }

    // What is no instruction reads and writes nothing.
    [[nodiscard]] Operation decode(const InstructionTrace::Code& code) const {
        ZydisDecodedInstruction one;
        std::array<ZydisDecodedOperand, ZYDIS_MAX_OPERAND_COUNT> operands;
        Operation found;
        if (!ZYAN_SUCCESS(ZydisDecoderDecodeFull(&decoder_, code.bytes.data(), code.bytes.size(),
                                                 &one, operands.data()))) {
            return found;
        }
        found.kind = kind_of(one);
        for (const ZydisDecodedOperand& operand : std::span(operands).first(one.operand_count)) {
            if (operand.type == ZYDIS_OPERAND_TYPE_REGISTER) {
                take_register(one, operand, found);
            } else if (operand.type == ZYDIS_OPERAND_TYPE_MEMORY) {
                take_memory(code.address + one.length, operand, found);
            }
        }
        return found;
    }

  private:
    static void take_register(const ZydisDecodedInstruction& one,
                              const ZydisDecodedOperand& operand, Operation& into) {
        const auto number = number_of(operand.reg.value);
        if (!number) {
            return;
        }
        // What push and pop do to the stack's register says nothing of the value they move.
        const bool is_data =
            *number != kStackRegister || operand.visibility != ZYDIS_OPERAND_VISIBILITY_HIDDEN;
        if (is_data && (operand.actions & ZYDIS_OPERAND_ACTION_MASK_READ) != 0) {
            const bool are_flags = *number == kFlagsRegister && one.cpu_flags != nullptr;
            const bool is_high =
                operand.reg.value >= ZYDIS_REGISTER_AH && operand.reg.value <= ZYDIS_REGISTER_BH;
            into.reads.push_back({*number, are_flags ? RegisterValue{one.cpu_flags->tested, 0}
                                           : is_high ? RegisterValue{0xFF00, 0}
                                                     : low_bits(operand.size)});
        }
        if ((operand.actions & ZYDIS_OPERAND_ACTION_MASK_WRITE) != 0) {
            into.writes |= std::uint64_t{1} << *number;
        }
    }

    static void take_memory(std::uint64_t next, const ZydisDecodedOperand& operand,
                            Operation& into) {
        const auto base = number_of(operand.mem.base);
        const auto index = number_of(operand.mem.index);
        if (operand.mem.type == ZYDIS_MEMOP_TYPE_AGEN) {  // lea: the address is the value
            for (const auto& part : {base, index}) {
                if (part) {
                    into.reads.push_back({*part, kAllBits});
                }
            }
            return;
        }
        const bool is_hidden = operand.visibility == ZYDIS_OPERAND_VISIBILITY_HIDDEN;
        Operation::Operand where{operand.size / 8U,
                                 base,
                                 index,
                                 operand.mem.scale,
                                 static_cast<std::uint64_t>(operand.mem.disp.value) +
                                     (operand.mem.base == ZYDIS_REGISTER_RIP ? next : 0),
                                 operand.mem.segment == ZYDIS_REGISTER_FS,
                                 is_hidden && base == kStackRegister &&
                                     (operand.actions & ZYDIS_OPERAND_ACTION_MASK_WRITE) != 0};
        if ((operand.actions & ZYDIS_OPERAND_ACTION_MASK_READ) != 0) {
            into.from = where;
        }
        if ((operand.actions & ZYDIS_OPERAND_ACTION_MASK_WRITE) != 0) {
            into.to = where;
        }
    }

    ZydisDecoder decoder_{};
};

}  // namespace

// Reads the states of a trace one after the other.
class TracedStep::Reader {
  public:
    Reader(const InstructionTrace& trace, TracedStep& into) : into_(into), bytes_(trace.states) {}

    // The next state's address.
    std::optional<std::uint64_t> next(std::size_t state) {
        std::uint64_t address = 0;
        std::uint64_t changed = 0;
        if (!take(&address, 8) || !take(&changed, 8) || changed >> kRegisters != 0) {
            return std::nullopt;
        }
        for (; changed != 0; changed &= changed - 1) {
            const auto number = static_cast<std::size_t>(std::countr_zero(changed));
            RegisterValue value{};
            if (!take(value.data(), number < kFirstVector ? 8 : 16)) {
                return std::nullopt;
            }
            into_.history_[number].emplace_back(state, value);
        }
        return address;
    }

  private:
    bool take(void* into, std::size_t size) {
        if (bytes_.size() < size) {
            return false;
        }
        std::memcpy(into, bytes_.data(), size);
        bytes_.remove_prefix(size);
        return true;
    }

    TracedStep& into_;
    std::string_view bytes_;
};

TracedStep::TracedStep(const InstructionTrace& trace) : trace_(trace) {
    const Decoder decoder;
    for (const InstructionTrace::Code& code : trace.code) {
        operations_.emplace(code.address, decoder.decode(code));
    }
    Reader reader(trace, *this);
    for (std::optional<std::uint64_t> address = reader.next(0); address;) {
        const auto found = operations_.find(*address);
        if (found == operations_.end()) {
            break;
        }
        const auto next = reader.next(steps_.size() + 1);
        if (!next) {
            break;
        }
        steps_.push_back({.address = *address, .operation = &found->second});
        address = next;
    }
    std::vector<std::pair<std::uint64_t, std::size_t>> calls;  // where they return to is, by whom
    for (std::size_t at = 0; at < steps_.size(); ++at) {
        OneStep& step = steps_[at];
        step.from = memory_of(step.operation->from, at);
        step.to = memory_of(step.operation->to, at);
        const std::uint64_t stack = value(kStackRegister, at)[0];
        while (!calls.empty() && calls.back().first < stack) {
            calls.pop_back();
        }
        step.depth = calls.size();
        step.called_by = calls.empty() ? 0 : calls.back().second + 1;
        if (step.operation->kind == Operation::Kind::call) {
            calls.emplace_back(value(kStackRegister, at + 1)[0], at);
        }
    }
}

MemoryOperand TracedStep::memory_of(const Operation::Operand& operand, std::size_t at) const {
    if (operand.size == 0) {
        return {};
    }
    if (operand.is_pushed) {
        return {value(kStackRegister, at + 1)[0], operand.size};
    }
    const std::uint64_t base = operand.base ? value(*operand.base, at)[0] : 0;
    const std::uint64_t index = operand.index ? value(*operand.index, at)[0] : 0;
    const std::uint64_t thread = operand.is_of_thread ? trace_.thread : 0;
    return {thread + base + index * operand.scale + operand.displacement, operand.size};
}

const InstructionTrace::Module* TracedStep::module_at(std::uint64_t address) const {
    const auto found =
        std::ranges::upper_bound(trace_.modules, address, {}, &InstructionTrace::Module::end);
    return found != trace_.modules.end() && found->begin <= address ? &*found : nullptr;
}

TracedStep::Place TracedStep::place_of(std::uint64_t address) const {
    const InstructionTrace::Module* const module = module_at(address);
    if (module == nullptr) {
        return {{}, address};
    }
    // An open file, such as the library that isotick preloads, has other numbers in each process.
    const bool is_open_file = module->file.starts_with("/proc/");
    return {is_open_file ? "/proc/" : std::string_view(module->file), address - module->begin};
}

RegisterValue TracedStep::value(std::size_t of, std::size_t at) const {
    const auto& values = history_[of];
    const auto behind =
        std::ranges::upper_bound(values, at, {}, [](const auto& one) { return one.first; });
    return behind == values.begin() ? RegisterValue{} : std::prev(behind)->second;
}

bool TracedStep::is_on_heap_or_stack(std::uint64_t word) const {
    return is_address(word, trace_.mapped) && place_of(word).file.empty();
}

std::optional<std::size_t> TracedStep::last_writer(std::size_t to, std::size_t before) const {
    // The system's calls write registers, too.
    const auto& values = history_[to];
    const auto behind =
        std::ranges::upper_bound(values, before, {}, [](const auto& one) { return one.first; });
    const std::size_t changed = behind == values.begin() ? 0 : std::prev(behind)->first;
    for (std::size_t at = before; at > changed; --at) {
        if ((steps_[at - 1].operation->writes >> to & 1U) != 0) {
            return at - 1;
        }
    }
    return changed > 0 ? std::optional(changed - 1) : std::nullopt;
}

std::optional<std::size_t> TracedStep::last_writer(const MemoryOperand& to,
                                                   std::size_t before) const {
    for (std::size_t at = before; at-- > 0;) {
        const MemoryOperand& written = steps_[at].to;
        if (written.address < to.address + to.size && to.address < written.address + written.size) {
            return at;
        }
    }
    return std::nullopt;
}

bool TracedStep::asks_system(std::size_t begin, std::size_t end) const {
    return std::ranges::any_of(std::span(steps_).subspan(begin, end - begin), [](const auto& step) {
        return step.operation->kind == Operation::Kind::asks_system;
    });
}

bool TracedStep::may_be_written_by_system(std::size_t begin, std::size_t end) const {
    // Calls of Linux that write to no memory of the program.
    constexpr std::array kReadOnly{std::uint64_t{1} /* write */, std::uint64_t{2} /* open */,
                                   std::uint64_t{3} /* close */, std::uint64_t{8} /* lseek */,
                                   std::uint64_t{12} /* brk */,  std::uint64_t{257} /* openat */};
    for (std::size_t at = begin; at < end; ++at) {
        if (steps_[at].operation->kind == Operation::Kind::asks_system &&
            std::ranges::find(kReadOnly, value(kCallRegister, at)[0]) == kReadOnly.end()) {
            return true;
        }
    }
    return false;
}

std::vector<CallSite> TracedStep::stack(std::size_t at) const {
    std::vector<CallSite> sites;
    for (std::size_t next = at + 1; next > 0; next = steps_[next - 1].called_by) {
        const std::uint64_t address = steps_[next - 1].address;
        if (const InstructionTrace::Module* const module = module_at(address)) {
            sites.push_back({module->file, address - module->begin + 1});  // behind its first byte
        }
    }
    return sites;
}

}  // namespace isotick::harness
