// A plug-in that shows nothing of its state but the hash.

#include <isotick/core/adapter.hpp>

#include <cstdint>

namespace {

struct Counter {
    static constexpr isotick::core::SimulationInfo kInfo{.name = "blind"};
    void step(const isotick::core::Step&) { ++counter; }
    template <class Archive>
    void serialize(Archive& archive) {
        archive(CEREAL_NVP(counter));
    }
    std::uint64_t counter = 0;
};

const isotick_simulation_table& blind_table() {
    static const isotick_simulation_table& sees = isotick::core::simulation_table<Counter>();
    static const isotick_info info = [] {
        isotick_info blind = *sees.info;
        blind.capabilities &= ~ISOTICK_HAS_FIELDS;
        return blind;
    }();
    static const isotick_simulation_table blind = [] {
        isotick_simulation_table table = sees;
        table.info = &info;
        table.visit_fields = nullptr;
        return table;
    }();
    return blind;
}

}  // namespace

extern "C" ISOTICK_PLUGIN_EXPORT const isotick_simulation_table* isotick_simulation_entry() {
    return &blind_table();
}
