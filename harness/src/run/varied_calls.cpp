#include "varied_calls.hpp"

#include "../axes/axes.hpp"
#include "../system/preload.hpp"

#include <isotick/core/detail/try.hpp>
#include <isotick/core/plugin.h>
#include <isotick/core/random.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <fcntl.h>
#include <memory>
#include <span>
#include <thread>
#include <utility>

namespace isotick::harness {

// What uninitialized local variables find.

/// So much of the stack is filled: a quarter of what threads have at the least, with any libc, and
/// little enough that a call takes less than a microsecond longer.
inline constexpr std::size_t kFilledStack = 32 * 1024;

/// Leaves `byte` in the memory that the functions which the caller calls next have their local
/// variables in.
void fill_stack_below(std::uint8_t byte);

// Memory of its own, which is the callees' after it returns: nothing below the stack pointer is
// touched. Sanitizers would take the local variable for one that is gone, or move it elsewhere.
__attribute__((noinline, no_sanitize("address", "thread", "undefined"))) void fill_stack_below(
    std::uint8_t byte) {
    std::array<std::uint8_t, kFilledStack> memory;
    std::memset(memory.data(), byte, memory.size());
    // Or a compiler leaves out what nobody reads.
    asm volatile("" : : "r"(memory.data()) : "memory");
}

// Inputs that lie elsewhere at each step, and nowhere behind it.

/// Hands steps over from memory that is taken for one call: its place, what lies between the inputs
/// and how they are aligned are drawn. Behind the call the memory is overwritten and given back.
class MovedInputs {
  public:
    explicit MovedInputs(std::uint64_t seed) : random_(seed) {}

    /// Calls `call` with a copy of `step`, and returns what that does.
    template <class Call>
    auto during(const isotick_step& step, const Call& call) {
        const Memory memory = copy(step);
        return call(*memory.step);
    }

  private:
    struct Memory {
        std::unique_ptr<std::byte[]> bytes;  // of a step, its inputs, their data
        std::size_t size = 0;
        const isotick_step* step = nullptr;

        Memory() = default;
        Memory(Memory&& other) = default;
        ~Memory();
    };

    [[nodiscard]] Memory copy(const isotick_step& step);

    core::Pcg32 random_;
};

namespace {

// A step may begin at any of so many places, and what lies between two inputs is shorter than this.
constexpr std::uint32_t kPlaces = 64;
constexpr std::uint32_t kMostBetween = 64;
constexpr std::byte kGone{0xdb};

std::span<const isotick_input> inputs_of(const isotick_step& step) {
    return {step.inputs, step.input_count};
}

}  // namespace

MovedInputs::Memory::~Memory() {
    if (bytes != nullptr) {
        // Volatile, or a compiler leaves out what nobody may read.
        volatile std::byte* const begin = bytes.get();
        for (std::size_t i = 0; i < size; ++i) {
            begin[i] = kGone;
        }
    }
}

MovedInputs::Memory MovedInputs::copy(const isotick_step& step) {
    const std::size_t heads = sizeof(isotick_step) + step.input_count * sizeof(isotick_input);
    std::size_t size = (kPlaces + 1) * alignof(std::max_align_t) + heads + kMostBetween;
    for (const isotick_input& input : inputs_of(step)) {
        size += input.size + kMostBetween;
    }
    Memory memory;
    memory.size = size;
    memory.bytes = std::make_unique_for_overwrite<std::byte[]>(size);
    std::byte* at = memory.bytes.get();
    const auto between = static_cast<std::byte>(random_.next());
    std::fill_n(at, size, between);
    at += random_.below(kPlaces) * alignof(std::max_align_t);
    auto* const made = new (at) isotick_step(step);
    at += sizeof *made;
    auto* const inputs = reinterpret_cast<isotick_input*>(at);
    std::ranges::uninitialized_copy(inputs_of(step), std::span(inputs, step.input_count));
    at += step.input_count * sizeof(isotick_input);
    for (isotick_input& input : std::span(inputs, step.input_count)) {
        at += random_.below(kMostBetween);
        if (input.data != nullptr) {
            auto* const data = reinterpret_cast<std::uint8_t*>(at);
            std::copy_n(input.data, input.size, data);
            input.data = data;
        }
        at += input.size;
    }
    made->inputs = inputs;
    memory.step = made;
    return memory;
}

namespace {

using core::Result;

// Delays come in the frames of ticks that are a multiple of this, as long as there were few.
constexpr std::uint64_t kTicksBetweenHitches = 10;
constexpr std::uint32_t kMostHitches = 20;

/// Control words of the calling thread, as long as it lives.
class LentFloatControl {
  public:
    explicit LentFloatControl(const std::optional<FloatControl>& control) {
        if (control) {
            former_ = FloatControl::now();
            control->restore();
        }
    }
    ~LentFloatControl() {
        if (former_) {
            former_->restore();
        }
    }
    LentFloatControl(const LentFloatControl&) = delete;
    LentFloatControl& operator=(const LentFloatControl&) = delete;

  private:
    std::optional<FloatControl> former_;
};

}  // namespace

struct VariedCalls::Instance {
    const VariedCalls& table;
    isotick_simulation* inner = nullptr;
    std::optional<MovedInputs> inputs{};
    std::uint32_t hitches = 0;

    static Instance& of(isotick_simulation* simulation) {
        return *reinterpret_cast<Instance*>(simulation);
    }
};

// What is computed with other words is the simulation's alone: they are set last and restored
// first.
template <class Call>
std::int32_t VariedCalls::made(Kind kind, const Call& call) const {
    const InOtherFolder folder(host_.folder.get());
    if (setup_.stack_fill) {
        fill_stack_below(*setup_.stack_fill);
    }
    const LentFloatControl control(kind == Kind::computes ? float_control_ : std::nullopt);
    return call();
}

template <class... Arguments,
          std::int32_t (*isotick_simulation_table::*Member)(isotick_simulation*, Arguments...)>
struct VariedCalls::Varied<Member> {
    template <Kind kKind>
    static std::int32_t call(isotick_simulation* simulation, Arguments... arguments) {
        const Instance& self = Instance::of(simulation);
        return self.table.made(
            kKind, [&] { return (self.table.inner_.*Member)(self.inner, arguments...); });
    }
};

template <VariedCalls::Kind kKind, auto... Members>
void VariedCalls::vary() {
    ((this->*Members =
          inner_.*Members == nullptr ? nullptr : &Varied<Members>::template call<kKind>),
     ...);
}

template <class... Arguments, std::int32_t (*isotick_simulation_table::*Member)(
                                  const isotick_simulation_table*, Arguments...)>
struct VariedCalls::PassedOn<Member> {
    static std::int32_t call(const isotick_simulation_table* table, Arguments... arguments) {
        const isotick_simulation_table& inner = static_cast<const VariedCalls&>(*table).inner_;
        return (inner.*Member)(&inner, arguments...);
    }
};

template <auto Member>
void VariedCalls::pass_on() {
    if (inner_.*Member != nullptr) {
        this->*Member = &PassedOn<Member>::call;
    }
}

VariedCalls::VariedCalls(const isotick_simulation_table& inner)
    : isotick_simulation_table(inner), inner_(inner) {
    using Table = isotick_simulation_table;
    create = &create_varied;
    destroy = [](isotick_simulation* simulation) {
        const std::unique_ptr<Instance> self(&Instance::of(simulation));
        self->table.made(Kind::looks, [&] {
            self->table.inner_.destroy(self->inner);
            return ISOTICK_OK;
        });
    };
    step = &step_varied;
    vary<Kind::computes, &Table::begin_frame, &Table::render, &Table::load>();
    vary<Kind::looks, &Table::hash, &Table::propose_input, &Table::save, &Table::visit_fields,
         &Table::visit_memory, &Table::settle, &Table::note_writes>();
    pass_on<&Table::describe_input>();
    pass_on<&Table::compose_input>();
}

Result<std::unique_ptr<VariedCalls>> VariedCalls::make(const isotick_simulation_table& inner,
                                                       const CallSetup& setup) {
    std::unique_ptr<VariedCalls> made(new VariedCalls(inner));
    made->change(setup);
    return vary_host(setup).map([&](VariedHost&& host) {
        made->host_ = std::move(host);
        return std::move(made);
    });
}

void VariedCalls::change(const CallSetup& setup) {
    setup_ = setup;
    float_control_.reset();
    if (setup.float_change) {
        float_control_ = FloatControl::now().with(*setup.float_change);
    }
}

std::int32_t VariedCalls::create_varied(const isotick_simulation_table* table,
                                        const isotick_setup* setup, isotick_simulation** out,
                                        isotick_message* message) {
    const auto& varied = static_cast<const VariedCalls&>(*table);
    auto self = std::make_unique<Instance>(Instance{varied});
    const std::int32_t status = varied.made(Kind::computes, [&] {
        return varied.inner_.create(&varied.inner_, setup, &self->inner, message);
    });
    if (status == ISOTICK_OK && self->inner != nullptr) {
        *out = reinterpret_cast<isotick_simulation*>(self.release());
    }
    return status;
}

std::int32_t VariedCalls::step_varied(isotick_simulation* simulation, const isotick_step* step,
                                      isotick_message* message) {
    Instance& self = Instance::of(simulation);
    const VariedCalls& varied = self.table;
    if (varied.setup_.hitch.count() > 0 && step->tick % kTicksBetweenHitches == 0 &&
        self.hitches < kMostHitches) {
        ++self.hitches;
        std::this_thread::sleep_for(varied.setup_.hitch);
    }
    if (varied.setup_.inputs_seed && !self.inputs) {
        self.inputs.emplace(*varied.setup_.inputs_seed);
    }
    const auto call = [&](const isotick_step& made) {
        return varied.made(Kind::computes,
                           [&] { return varied.inner_.step(self.inner, &made, message); });
    };
    return self.inputs ? self.inputs->during(*step, call) : call(*step);
}

namespace {

using core::Result;

std::vector<std::uint64_t> beginnings_of(const std::vector<AxisValue>& axes) {
    std::vector<std::uint64_t> frames;
    for (const AxisValue& value : axes) {
        if (const std::uint64_t frame = first_frame(value); frame > 0) {
            frames.push_back(frame);
        }
    }
    return frames;
}

}  // namespace

Result<core::Simulation> TrialSimulation::create(const isotick_simulation_table& table,
                                                 const std::vector<AxisValue>& axes,
                                                 core::SimulationSetup setup, bool may_go_on,
                                                 std::uint64_t usual_place) {
    axes_ = axes;
    usual_place_ = usual_place;
    beginnings_ = beginnings_of(axes);
    const std::vector<AxisValue> first = applied_in(axes, 0);
    ISOTICK_TRY(apply(first, setup));
    ISOTICK_TRY(preload::begin(settings(first)));
    const CallSetup calls = call_setup(first);
    if (may_go_on || !beginnings_.empty() || !calls.is_usual()) {
        ISOTICK_TRY_ASSIGN(varied_, VariedCalls::make(table, calls));
    }
    return core::Simulation::create(varied_ ? *varied_ : table, setup);
}

preload::Settings TrialSimulation::settings(const std::vector<AxisValue>& values) const {
    preload::Settings settings = system_settings(values);
    settings.usual_place = usual_place_;
    return settings;
}

void TrialSimulation::go_on_with(const std::vector<AxisValue>& axes) {
    axes_ = axes;
    beginnings_ = beginnings_of(axes);
}

Result<void> TrialSimulation::before_frame(std::uint64_t frame,
                                           const core::Simulation& simulation) {
    if (std::ranges::find(beginnings_, frame) == beginnings_.end()) {
        return {};
    }
    if (simulation.queues_calls()) {
        return core::fail(core::ErrorCode::usage,
                          "an axis can begin partway through a trial only where the simulation "
                          "runs in the trial's own process");
    }
    const std::vector<AxisValue> now = applied_in(axes_, frame);
    preload::change(settings(now));
    varied_->change(call_setup(now));
    return {};
}

namespace {

// Not closed on exec: what the simulation starts finds them, too.
core::Result<std::vector<FileDescriptor>> open_descriptors(std::uint32_t count) {
    std::vector<FileDescriptor> opened;
    while (opened.size() < count) {
        // NOLINTNEXTLINE(android-cloexec-open)
        opened.emplace_back(open("/dev/null", O_RDONLY));
        if (opened.back().get() < 0) {
            return system_failure("cannot open so many files");
        }
    }
    return opened;
}

}  // namespace

core::Result<VariedHost> vary_host(const CallSetup& setup) {
    VariedHost host;
    if (!setup.working_directory.empty()) {
        ISOTICK_TRY_ASSIGN(host.folder, OtherFolder::make(setup.working_directory));
    }
    if (!setup.locale.empty()) {
        ISOTICK_TRY_ASSIGN(host.locale, OtherLocale::make(setup.locale));
    }
    ISOTICK_TRY_ASSIGN(host.descriptors, open_descriptors(setup.descriptors));
    return host;
}

}  // namespace isotick::harness
