#pragma once
// The name of a simulation in messages, and whose word it is.

#include <isotick/harness/detail/simulations/simulation_name.hpp>

#include <string>
#include <utility>

namespace isotick::harness {

template <class Archive>
void save(Archive& archive, const SimulationName& name) {
    archive(name.text(), name.is_recorded());
}
template <class Archive>
void load(Archive& archive, SimulationName& name) {
    std::string text;
    bool is_recorded = false;
    archive(text, is_recorded);
    name = is_recorded ? SimulationName::recorded(std::move(text))
                       : SimulationName::chosen(std::move(text));
}

}  // namespace isotick::harness
