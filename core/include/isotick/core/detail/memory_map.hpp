#pragma once
// Which bytes of a simulation's objects its description of the state sees, and where its values
// are: what a visit_memory shows, summed up by type and by path.

#include <isotick/core/plugin.h>
#include <isotick/core/result.hpp>
#include <isotick/core/simulation.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace isotick::core {

/// How much is kept for a memory map. All samples hold the first, the last, and others evenly
/// spread between them in the order of the visit: no chance is involved.
struct MemoryMapOptions {
    std::size_t samples = 16;    ///< places per path and unseen range, at least 2
    std::size_t objects = 1000;  ///< addresses per type, at least 2
};

/// Bytes of a type's objects that nothing sees: no value within the object, no object within it.
/// Padding, members that are rightly no state, and members that were forgotten.
struct UnseenRange {
    std::uint64_t offset = 0;        ///< from the beginning of the object, in bytes
    std::uint64_t size = 0;          ///< bytes
    std::uint64_t objects = 0;       ///< in how many objects of the type they are unseen
    std::vector<std::byte*> places;  ///< a sample of where they begin
};

/// The objects of one type and size.
struct MemoryType {
    std::string name;           ///< as the program calls it; empty if the simulation does not say
    std::uint64_t size = 0;     ///< bytes; of bases, without what others keep in their padding
    std::uint64_t objects = 0;  ///< how many were seen in memory
    /// How many values (and objects) within these objects were made up by their `serialize`: they
    /// may say what the unseen bytes hold, in other words.
    std::uint64_t made_up = 0;
    std::vector<UnseenRange> unseen;    ///< by offset
    std::vector<std::byte*> addresses;  ///< a sample of the objects'
};

/// One value in memory, or several in a row.
struct MemoryPlace {
    std::byte* address = nullptr;
    std::uint64_t size = 0;
};

/// The values at one class of paths, `units[*].velocity.y`.
struct MemoryPathClass {
    std::string path;
    std::uint64_t values = 0;          ///< how many, runs of numbers counting as one
    std::uint64_t settable = 0;        ///< how many of them may be changed (isotick_memory_visitor)
    std::uint64_t made_up = 0;         ///< how many are not in memory
    std::uint64_t bytes = 0;           ///< of those that are settable
    std::vector<MemoryPlace> samples;  ///< of those that are settable
};

/// What a visit showed, in order of first sight. The addresses hold as long as visit_memory says.
struct MemoryMap {
    std::vector<MemoryType> types;
    std::vector<MemoryPathClass> paths;
};

/// Collects a visit into a memory map. Memory is bounded by the number of different types and
/// paths, not by the state. Not thread-safe.
class MemoryCollector {
  public:
    explicit MemoryCollector(MemoryMapOptions options = {});
    ~MemoryCollector();

    /// For one visit; valid while the collector lives.
    [[nodiscard]] isotick_memory_visitor visitor();

    /// Whether it has ended the visit by refusing something; finish() says what.
    [[nodiscard]] bool has_refused() const;

    /// The map. Fails if the visit broke the rules (objects that do not nest: code `simulation`) or
    /// showed more than 10,000 types, 100,000 paths, or objects nested 10,000 deep (`limit`).
    [[nodiscard]] Result<MemoryMap> finish();

  private:
    class Survey;
    std::unique_ptr<Survey> survey_;
};

/// Visits the memory of `simulation`, which must have it, and sums it up.
[[nodiscard]] Result<MemoryMap> map_memory(Simulation& simulation, MemoryMapOptions options = {});

}  // namespace isotick::core
