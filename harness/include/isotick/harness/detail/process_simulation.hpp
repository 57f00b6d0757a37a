#pragma once
// A simulation that is a process of its own and speaks harness/PROTOCOL.md.

#include <isotick/core/plugin.h>
#include <isotick/core/result.hpp>

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace isotick::harness {

/// What is worth knowing of the processes of a table, besides their answers.
struct ProcessNotes {
    std::string bad_end;  ///< how the first ended that did not end as PROTOCOL.md says; or empty
    std::optional<core::Error> shortage;  ///< what this machine lacked to start one
    std::vector<std::string> reached;     ///< checkpoints passed, printable, at most kMostReached
};

/// The table of a simulation that is a command of the shell: each one created through it is a
/// process of its own, as long as it lives. Calls are queued (ISOTICK_QUEUES_CALLS). A process that
/// ends, or writes what is no answer, fails the call; one that does not answer blocks it.
///
/// Movable; the table stays where it is, and must not be used after this object is gone. As
/// thread-safe as any table.
class ProcessSimulation {
  public:
    /// What stands before the command where users name a simulation.
    static constexpr std::string_view kPrefix = "exec:";

    /// Runs `command` once to ask what simulation it is. Fails with `usage` where it cannot be
    /// used, and says why.
    [[nodiscard]] static core::Result<ProcessSimulation> ask(const std::string& command);

    ~ProcessSimulation();
    ProcessSimulation(ProcessSimulation&& other) noexcept;
    ProcessSimulation& operator=(ProcessSimulation&& other) noexcept;

    [[nodiscard]] const isotick_simulation_table& table() const;

    /// What was noted since the last call, where the table is that of a process.
    static ProcessNotes take_notes(const isotick_simulation_table& table);

  private:
    struct Table;
    explicit ProcessSimulation(std::unique_ptr<Table> table);

    std::unique_ptr<Table> table_;
};

}  // namespace isotick::harness
