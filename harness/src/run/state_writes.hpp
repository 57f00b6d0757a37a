#pragma once
// The writes to the state during one tick and the frames leading up to it, in order, so that the
// first one that two runs do not share can be found.

#include "../system/write_watch.hpp"

#include <isotick/core/detail/field_selection.hpp>
#include <isotick/core/detail/field_writer.hpp>
#include <isotick/core/result.hpp>
#include <isotick/core/simulation.hpp>
#include <isotick/harness/detail/progress.hpp>
#include <isotick/harness/trial.hpp>

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace isotick::harness {

/// A write, with all that is known of it.
struct NotedWrite {
    Activity during = Activity::starting;  ///< the call that made it
    /// `units[17].velocity.y`, `chat[8]`: from this character on; `[*]` if the element is not known
    std::string path;
    std::string before;           ///< the value, `"quiet"`; hexadecimal if its type is not known.
    std::string after;            ///< Both are empty if it was bookkeeping, like a vector's size
    std::vector<CallSite> sites;  ///< the call stack, innermost first: an address behind the write
};

/// A number, or up to eight bytes of another value, in memory that was not the state's before.
struct NewValue {
    std::uint64_t address = 0;
    std::uint64_t size = 0;
    std::uint64_t bytes = 0;  ///< in memory order
    std::string path;         ///< as in NotedWrite
    std::string text;         ///< the value
};

/// What a trial says of the writes that lead to a state.
struct WriteLog {
    std::string unknown;           ///< why there is no log; empty if there is one
    std::uint64_t layout = 0;      ///< hash of all paths and sizes
    std::uint64_t began_with = 0;  ///< hash of all values when the log began
    std::uint64_t hidden = 0;      ///< of how many values it is not known where they are
    /// In the order they happened, those that changed memory that belonged to the state both when
    /// the log began and when it ended. `place` counts the values in the order of the visit.
    std::vector<MemoryWrite> writes;
    bool cut = false;                        ///< there may be more
    std::vector<std::uint64_t> bookkeeping;  ///< the places that manage others, in order
    std::vector<std::uint64_t> gone;         ///< those that were no longer the state's, in order
    std::vector<NotedWrite> noted{};         ///< the last of `writes`, if that was asked for
    bool is_told = false;  ///< by the simulation: all of its writes, however many were asked for
    InstructionTrace trace{};  ///< of the step, if that was asked for
    /// If a trace was asked for: the values in memory that became the state's since the log began,
    /// in the order of the visit; at most 1,024.
    std::vector<NewValue> made{};
};

/// Whether the value at `path` is, or is in, `part` (`random`, `players[2].random`). Each `[*]` in
/// either stands for any element.
[[nodiscard]] bool is_within(std::string_view path, std::string_view part);

using ValueVisit = std::remove_pointer_t<decltype(isotick_memory_visitor::value)>;

/// Shows values to `value`, and passes over the objects that they are in.
[[nodiscard]] isotick_memory_visitor visitor_of_values(void* context, ValueVisit* value);

/// Reads the log of a trial that had a WriteRequest. Fails if the file is empty or malformed.
[[nodiscard]] core::Result<WriteLog> read_write_log(std::span<const std::byte> file);

/// Watches the state of a simulation that shows its memory, or has it note its own writes.
class StateWrites {
  public:
    /// `progress` says which call the simulation is in; it must outlive this.
    StateWrites(const WriteRequest& request, const Progress& progress)
        : request_(request), progress_(progress) {}

    /// Begins, or begins again and forgets what was noted so far.
    void begin(core::Simulation& simulation);

    /// To be called around the step.
    void step_begins();
    void step_ends();

    /// To be called after a step that succeeded: writes the log to the request's file. Fails with
    /// `io`.
    [[nodiscard]] core::Result<void> end(core::Simulation& simulation);

  private:
    struct Place {
        std::size_t path = 0;
        const std::byte* address = nullptr;
        std::uint64_t size = 0;
        bool is_value = true;  // else it manages others, and may hold addresses
    };
    class Collector;

    void leave_out_copies(core::Simulation& simulation, Collector& collector) const;

    [[nodiscard]] core::Result<WriteLog> seen_by_simulation(core::Simulation& simulation);
    [[nodiscard]] WriteLog seen_by_watch(core::Simulation& simulation);
    void compare_memory(core::Simulation& simulation, WrittenMemory& seen, WriteLog& log) const;
    [[nodiscard]] std::vector<std::uint64_t> leave_out_what_was_freed(const StateWrites& after,
                                                                      WrittenMemory& seen) const;
    [[nodiscard]] std::vector<NewValue> new_since(const StateWrites& before);
    void forget_addresses(std::vector<MemoryWrite>& writes) const;

    void keep_fields(core::Simulation& simulation);
    const std::vector<core::SelectedField>& fields_at(const std::string& path);
    [[nodiscard]] std::optional<core::FieldToken> number_at(const Place& place);
    [[nodiscard]] NotedWrite noted_of(const MemoryWrite& write, std::vector<CallSite> sites);
    void note_number(const MemoryWrite& write, core::FieldToken type, NotedWrite& noted);
    void note_characters(const MemoryWrite& write, NotedWrite& noted);

    WriteRequest request_;
    const Progress& progress_;
    std::string unknown_ = "the tick was not reached";
    std::vector<std::string> paths_;
    std::vector<Place> places_;
    std::uint64_t layout_ = 0;
    std::uint64_t began_with_ = 0;
    std::uint64_t hidden_ = 0;
    std::vector<std::byte> fields_;  // when it was visited, where values are to be described
    std::map<std::string, std::vector<core::SelectedField>> selected_;  // of them, by path
    std::optional<WriteWatch> watch_;
    bool is_noting_ = false;  // the simulation is, itself
};

}  // namespace isotick::harness
