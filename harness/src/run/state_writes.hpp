#pragma once
// The writes of one tick to the state, in order: to find the one that two runs do not share.

#include "../system/write_watch.hpp"

#include <isotick/core/detail/field_selection.hpp>
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
#include <vector>

namespace isotick::harness {

/// A write, with all that is known of it.
struct NotedWrite {
    Activity during = Activity::starting;  ///< the call that made it
    std::string path;    ///< `units[17].velocity.y`; with `[*]` where only its class is known
    std::string before;  ///< as people read it; hexadecimal where the type is not known
    std::string after;   ///< empty, like `before`: it is no value, but what manages others
    std::vector<CallSite> sites;  ///< the innermost first, in it an address behind the write
};

/// What a trial says of the writes of a tick.
struct WriteLog {
    std::string unknown;           ///< why there is no log; empty: there is one
    std::uint64_t layout = 0;      ///< the same where paths and sizes of all values are
    std::uint64_t began_with = 0;  ///< the same where the values were as the log began
    /// That changed what was the state's before the tick and still is after it, by places in the
    /// order of the visit.
    std::vector<MemoryWrite> writes;
    bool cut = false;                 ///< there may be more
    std::vector<NotedWrite> noted{};  ///< the last of `writes`, where that is asked for
};

/// Reads what a trial with such a request wrote. Fails where it wrote nothing, or nonsense.
[[nodiscard]] core::Result<WriteLog> read_write_log(std::span<const std::byte> file);

/// Watches the state of a simulation that shows its memory.
class StateWrites {
  public:
    /// `progress` tells what the simulation does, and must outlive this.
    StateWrites(const WriteRequest& request, const Progress& progress)
        : request_(request), progress_(progress) {}

    /// Begins, or begins anew: what was noted so far is forgotten.
    void begin(core::Simulation& simulation);

    /// Writes the log, of a step that has succeeded. Fails with `io`.
    [[nodiscard]] core::Result<void> end(core::Simulation& simulation);

  private:
    struct Place {
        std::size_t path = 0;
        const std::byte* address = nullptr;
        std::uint64_t size = 0;
        bool is_value = true;  // else it manages others, and may hold addresses
    };
    class Collector;

    void leave_out_what_was_freed(core::Simulation& simulation, WrittenMemory& seen) const;
    void forget_addresses(std::vector<MemoryWrite>& writes) const;

    [[nodiscard]] NotedWrite noted_of(const MemoryWrite& write, std::vector<CallSite> sites);
    const std::vector<core::SelectedField>& fields_at(std::size_t path);

    WriteRequest request_;
    const Progress& progress_;
    std::string unknown_ = "the tick was not reached";
    std::vector<std::string> paths_;
    std::vector<Place> places_;
    std::uint64_t layout_ = 0;
    std::uint64_t began_with_ = 0;
    std::vector<std::byte> fields_;  // as it began, where writes are to be described
    std::map<std::size_t, std::vector<core::SelectedField>> selected_;  // of them, by path
    std::optional<WriteWatch> watch_;
};

}  // namespace isotick::harness
