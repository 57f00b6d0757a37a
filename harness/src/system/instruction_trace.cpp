#include "instruction_trace.hpp"

#if defined(__linux__) && defined(__x86_64__)

#include "call_stack.hpp"
#include "own_pages.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <link.h>
#include <ucontext.h>

namespace isotick::harness {
namespace {

// As greg_t names them, in the order of this file's numbers.
constexpr std::array kGeneral{REG_RAX, REG_RCX, REG_RDX, REG_RBX, REG_RSP, REG_RBP,
                              REG_RSI, REG_RDI, REG_R8,  REG_R9,  REG_R10, REG_R11,
                              REG_R12, REG_R13, REG_R14, REG_R15};
static_assert(kGeneral.size() == kGeneralRegisters);

constexpr std::uint64_t kFlagsThatCount = 0xCD5;  // carry to overflow; not that which traps
constexpr std::size_t kLongestInstruction = 15;
constexpr std::size_t kMostBytes = 16 + kFirstVector * 8 + (kRegisters - kFirstVector) * 16;
constexpr std::size_t kUsualBytes = 48;

using Vector = std::array<std::uint64_t, 2>;

struct Registers {
    std::array<std::uint64_t, kFirstVector> general{};  // and the flags
    std::array<Vector, kRegisters - kFirstVector> vectors{};
};

// What noting changes, which must not lie on a page that is protected meanwhile.
struct SoFar {
    Registers last{};
    std::size_t used = 0;
    std::size_t count = 0;
    bool cut = false;
};

void read_registers(const ucontext_t& context, Registers& into) {
    const auto& general = context.uc_mcontext.gregs;
    for (std::size_t i = 0; i < kGeneralRegisters; ++i) {
        into.general[i] = static_cast<std::uint64_t>(general[kGeneral[i]]);
    }
    into.general[kFlagsRegister] = static_cast<std::uint64_t>(general[REG_EFL]) & kFlagsThatCount;
    if (const auto* const floating = context.uc_mcontext.fpregs) {
        static_assert(sizeof floating->_xmm == sizeof into.vectors);
        std::memcpy(&into.vectors, &floating->_xmm, sizeof into.vectors);
    }
}

// Where the bytes of loaded programs lie, from the lowest: as dladdr counts.
int add_module(dl_phdr_info* info, std::size_t, void* to) {
    InstructionTrace::Module module{UINT64_MAX, 0, {}};
    for (std::size_t i = 0; i < info->dlpi_phnum; ++i) {
        const auto& part = info->dlpi_phdr[i];
        if (part.p_type == PT_LOAD) {
            const std::uint64_t begin = info->dlpi_addr + part.p_vaddr;
            module.begin = std::min(module.begin, begin / 4096 * 4096);
            module.end = std::max<std::uint64_t>(module.end, begin + part.p_memsz);
        }
    }
    Site site;
    describe_site(module.begin, site);
    module.file = site.file[0] == '\0' ? info->dlpi_name : site.file.data();
    if (module.begin < module.end) {
        static_cast<std::vector<InstructionTrace::Module>*>(to)->push_back(std::move(module));
    }
    return 0;
}

std::vector<InstructionTrace::Code> code_at(std::vector<std::uint64_t> addresses,
                                            const std::vector<MappedRange>& mapped) {
    std::ranges::sort(addresses);
    const auto repeated = std::ranges::unique(addresses);
    addresses.erase(repeated.begin(), repeated.end());
    std::vector<InstructionTrace::Code> code;
    for (const std::uint64_t address : addresses) {
        const auto range = std::ranges::upper_bound(mapped, address, {}, &MappedRange::end);
        if (range != mapped.end() && range->begin <= address) {
            const std::uint64_t size =
                std::min<std::uint64_t>(kLongestInstruction, range->end - address);
            code.push_back({address, {reinterpret_cast<const char*>(address), size}});
        }
    }
    return code;
}

std::uint64_t own_thread() {
    std::uint64_t address = 0;
    asm("mov %%fs:0, %0" : "=r"(address));
    return address;
}

}  // namespace

class InstructionRecorder::States {
  public:
    explicit States(std::size_t most)
        : most_(most), room_(most * kUsualBytes + kMostBytes), bytes_(room_), so_far_(1) {}

    bool note(const ucontext_t& context) {
        auto& [last, used, count, cut] = so_far_[0];
        if (count == most_ || used + kMostBytes > room_) {
            cut = true;
            return false;
        }
        Registers now;
        read_registers(context, now);
        const std::size_t head = used;
        used += 16;
        std::uint64_t changed = 0;
        for (std::size_t i = 0; i < now.general.size(); ++i) {
            if (count == 0 || now.general[i] != last.general[i]) {
                changed |= std::uint64_t{1} << i;
                put(&now.general[i], 8);
            }
        }
        for (std::size_t i = 0; i < now.vectors.size(); ++i) {
            if (count == 0 || now.vectors[i] != last.vectors[i]) {
                changed |= std::uint64_t{1} << (kFirstVector + i);
                put(&now.vectors[i], 16);
            }
        }
        const auto next = static_cast<std::uint64_t>(context.uc_mcontext.gregs[REG_RIP]);
        std::memcpy(&bytes_[head], &next, 8);
        std::memcpy(&bytes_[head + 8], &changed, 8);
        last = now;
        ++count;
        return true;
    }

    [[nodiscard]] std::size_t count() const { return so_far_[0].count; }

    [[nodiscard]] InstructionTrace take() const {
        InstructionTrace trace;
        trace.thread = own_thread();
        trace.mapped = mapped_ranges();
        trace.count = count();
        trace.cut = so_far_[0].cut;
        trace.states.assign(reinterpret_cast<const char*>(bytes_.data()), so_far_[0].used);
        dl_iterate_phdr(add_module, &trace.modules);
        std::ranges::sort(trace.modules, {}, &InstructionTrace::Module::begin);
        trace.code = code_at(addresses(), trace.mapped);
        return trace;
    }

  private:
    void put(const void* value, std::size_t size) {
        std::size_t& used = so_far_[0].used;
        std::memcpy(&bytes_[used], value, size);
        used += size;
    }

    [[nodiscard]] std::vector<std::uint64_t> addresses() const {
        std::vector<std::uint64_t> all;
        all.reserve(count());
        for (std::size_t at = 0; at < so_far_[0].used;) {
            std::uint64_t address = 0;
            std::uint64_t changed = 0;
            std::memcpy(&address, &bytes_[at], 8);
            std::memcpy(&changed, &bytes_[at + 8], 8);
            all.push_back(address);
            const auto vectors = static_cast<std::size_t>(std::popcount(changed >> kFirstVector));
            at += 16 + 8 * (static_cast<std::size_t>(std::popcount(changed)) + vectors);
        }
        return all;
    }

    std::size_t most_;
    std::size_t room_;
    OwnPages<std::uint8_t> bytes_;
    OwnPages<SoFar> so_far_;
};

InstructionRecorder::InstructionRecorder(std::size_t most)
    : states_(std::make_unique<States>(most)) {}

bool InstructionRecorder::note(const void* context) {
    return states_->note(*static_cast<const ucontext_t*>(context));
}

std::size_t InstructionRecorder::count() const {
    return states_->count();
}

InstructionTrace InstructionRecorder::take() const {
    return states_->take();
}

#else

namespace isotick::harness {

class InstructionRecorder::States {};

InstructionRecorder::InstructionRecorder(std::size_t) {}

bool InstructionRecorder::note(const void*) {
    return false;
}

std::size_t InstructionRecorder::count() const {
    return 0;
}

InstructionTrace InstructionRecorder::take() const {
    return {};
}

#endif

InstructionRecorder::~InstructionRecorder() = default;

}  // namespace isotick::harness
