#pragma once
// What names the simulation to run, and whose word that is.

#include <compare>
#include <string>
#include <utility>

namespace isotick::harness {

/// The name of a simulation, from a user or from a file. What a user chose may be the path of a
/// plug-in or a command. What a file says (a recording, a text) is looked up among the simulations
/// of this program and nowhere else: no file chooses what is loaded or executed.
class SimulationName {
  public:
    /// What the user wrote after `--sim`, or what calling code spells out.
    [[nodiscard]] static SimulationName chosen(std::string text) {
        return {std::move(text), false};
    }
    /// What stands in a file: RecordingHead::session.simulation.
    [[nodiscard]] static SimulationName recorded(std::string name) {
        return {std::move(name), true};
    }

    [[nodiscard]] const std::string& text() const { return text_; }
    [[nodiscard]] bool is_recorded() const { return is_recorded_; }

    friend auto operator<=>(const SimulationName&, const SimulationName&) = default;

  private:
    SimulationName(std::string text, bool is_recorded)
        : text_(std::move(text)), is_recorded_(is_recorded) {}

    std::string text_;
    bool is_recorded_;
};

}  // namespace isotick::harness
