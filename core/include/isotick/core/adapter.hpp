#pragma once
// Turns a C++ type into the C table of a simulation.
//
//     struct Pong {
//         static constexpr isotick::core::SimulationInfo kInfo{.name = "pong"};
//         explicit Pong(const isotick::core::SimulationSetup& setup);
//         void step(const isotick::core::Step& step);
//         template <class Archive> void serialize(Archive& archive) {
//             archive(CEREAL_NVP(ball), CEREAL_NVP(paddles));   // each is a part
//         }
//     };
//     const isotick_simulation_table& table = isotick::core::simulation_table<Pong>();

#include <isotick/core/detail/adapter.hpp>
#include <isotick/core/detail/step.hpp>
#include <isotick/core/hash_archive.hpp>
#include <isotick/core/plugin.h>
#include <isotick/core/simulation_type.hpp>

#include <concepts>
#include <cstdint>
#include <cstring>
#include <exception>
#include <span>
#include <stdexcept>
#include <vector>

namespace isotick::core {

/// The table for T; valid until the program ends.
template <SimulationType T>
[[nodiscard]] const isotick_simulation_table& simulation_table();

namespace detail {

/// Copies the sink's parts into the table's form. Fails (false) if there are more than `capacity`.
[[nodiscard]] bool copy_parts(const HashSink& sink, std::span<isotick_part> parts,
                              std::uint32_t& count);

template <SimulationType T>
struct Adapter {
    // An instance and what hashing it reuses from tick to tick.
    struct Instance {
        explicit Instance(
            const isotick_setup& setup) requires std::constructible_from<T, const SimulationSetup&>
            : reads(setup), simulation(reads.take(setup)) {}
        explicit Instance(const isotick_setup& setup) requires(
            !std::constructible_from<T, const SimulationSetup&>)
            : reads(setup) {}
        ReportedReads reads;  // beyond the end of the simulation
        T simulation;
        HashSink sink;
        ShapeMemory shape;
    };

    static Instance& instance(isotick_simulation* handle) {
        return *reinterpret_cast<Instance*>(handle);
    }

    static std::int32_t create(const isotick_simulation_table*, const isotick_setup* setup,
                               isotick_simulation** out, isotick_message* message) {
        return guard(message,
                     [&] { *out = reinterpret_cast<isotick_simulation*>(new Instance(*setup)); });
    }

    static void destroy(isotick_simulation* handle) { delete &instance(handle); }

    static std::int32_t begin_frame(isotick_simulation* handle, std::int64_t frame_time_ns,
                                    isotick_message* message) {
        return guard(message,
                     [&] { instance(handle).simulation.begin_frame(FrameTime{frame_time_ns}); });
    }

    static std::int32_t step(isotick_simulation* handle, const isotick_step* step,
                             isotick_message* message) {
        return guard(message, [&] {
            instance(handle).simulation.step(Step{
                Tick{step->tick}, step->dt_seconds, step->dt_num, step->dt_den,
                Inputs(std::span(step->inputs, step->input_count)), CheckpointListener::of(*step)});
        });
    }

    static std::int32_t render(isotick_simulation* handle, double alpha, isotick_message* message) {
        return guard(message, [&] { instance(handle).simulation.render(alpha); });
    }

    static std::int32_t hash(isotick_simulation* handle, isotick_part* parts,
                             std::uint32_t capacity, std::uint32_t* count,
                             isotick_message* message) {
        return guard(message, [&] {
            Instance& self = instance(handle);
            hash_state(self.simulation, self.sink, SimulationInfo(T::kInfo).nan_policy);
            if (!copy_parts(self.sink, std::span(parts, capacity), *count)) {
                throw std::length_error("the state has too many top-level parts");
            }
        });
    }

    static std::int32_t propose_input(isotick_simulation* handle, isotick_proposal* proposal,
                                      isotick_message* message) {
        return guard(message, [&] {
            std::vector<std::uint8_t> bytes;
            const Proposal asked{proposal->player, Tick{proposal->tick}, proposal->entropy};
            const T& simulation = instance(handle).simulation;
            const bool present = simulation.propose_input(asked, bytes);
            if (bytes.size() > proposal->capacity) {
                throw std::length_error("the proposed input is too long");
            }
            if (!bytes.empty()) {
                std::memcpy(proposal->data, bytes.data(), bytes.size());
            }
            proposal->size = bytes.size();
            proposal->present = present ? 1 : 0;
        });
    }
};

template <SimulationType T>
isotick_info make_info() {
    const SimulationInfo& info = T::kInfo;
    return {.struct_size = sizeof(isotick_info),
            .rate_numerator = info.rate_numerator,
            .rate_denominator = info.rate_denominator,
            .least_players = info.least_players,
            .most_players = info.most_players,
            .usual_players = info.usual_players,
            .capabilities = info.capabilities | ISOTICK_COUNTS_READS |
                            (can_save<T>() ? ISOTICK_CAN_SAVE : 0) |
                            (has_fields<T>() ? ISOTICK_HAS_FIELDS : 0) |
                            (has_memory<T>() ? ISOTICK_HAS_MEMORY : 0) |
                            (describes_inputs<T>() ? ISOTICK_DESCRIBES_INPUTS : 0),
            .name = info.name,
            .summary = info.summary,
            .hash_algorithm = nullptr,
            .config_help = info.config_help,
            .build_id = info.build_id,
            .nan_policy = to_string(info.nan_policy)};
}

template <SimulationType T>
isotick_simulation_table make_table(const isotick_info& info) {
    refuse_members_never_called<T>();
    using A = Adapter<T>;
    isotick_simulation_table table{};
    table.struct_size = sizeof(isotick_simulation_table);
    table.abi_version = ISOTICK_ABI_VERSION;
    table.info = &info;
    table.create = &A::create;
    table.destroy = &A::destroy;
    table.step = &A::step;
    table.hash = &A::hash;
    if constexpr (BeginsFrames<T>) {
        table.begin_frame = &A::begin_frame;
    }
    if constexpr (Renders<T>) {
        table.render = &A::render;
    }
    if constexpr (ProposesInputs<T>) {
        table.propose_input = &A::propose_input;
    }
    if constexpr (can_save<T>()) {
        table.save = &StateCalls<A>::save;
        table.load = &StateCalls<A>::load;
    }
    if constexpr (has_fields<T>()) {
        table.visit_fields = &StateCalls<A>::visit_fields;
    }
    if constexpr (has_memory<T>()) {
        table.visit_memory = &StateCalls<A>::visit_memory;
    }
    if constexpr (describes_inputs<T>()) {
        table.describe_input = &InputCalls<T>::describe_input;
        table.compose_input = &InputCalls<T>::compose_input;
    }
    return table;
}

}  // namespace detail

template <SimulationType T>
const isotick_simulation_table& simulation_table() {
    static const isotick_info info = detail::make_info<T>();
    static const isotick_simulation_table table = detail::make_table<T>(info);
    return table;
}

}  // namespace isotick::core

/// Makes a type known, in one source file, outside of any namespace: to isotick where that is built
/// as a plug-in, to isotick::main where it is linked into a program.
#define ISOTICK_SIMULATION(Type)                                                                  \
    extern "C" ISOTICK_PLUGIN_EXPORT const isotick_simulation_table* isotick_simulation_entry() { \
        return &isotick::core::simulation_table<Type>();                                          \
    }
