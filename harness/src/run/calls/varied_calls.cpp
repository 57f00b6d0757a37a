#include "varied_calls.hpp"

#include "filled_stack.hpp"
#include "moved_inputs.hpp"

#include <isotick/core/detail/try.hpp>

#include <thread>
#include <utility>

namespace isotick::harness {
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
         &Table::visit_memory, &Table::settle>();
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

}  // namespace isotick::harness
