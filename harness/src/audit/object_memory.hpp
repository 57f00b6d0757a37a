#pragma once
// The memory of a simulation's objects, and of the library that it comes from.

#include "../system/mapped_memory.hpp"
#include "../system/write_watch.hpp"
#include "global_variables.hpp"
#include "stage.hpp"

#include <isotick/core/plugin.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace isotick::harness {

// The objects of one type in a simulation's state, and the same bytes in each of them.

/// The memory that this process had at a moment.
class OwnMemory {
  public:
    OwnMemory();

    [[nodiscard]] bool holds(std::uint64_t address) const;

  private:
    std::vector<MappedRange> blocks_;
};

/// Reads and writes a range in all objects of its type. The addresses hold as long as those that
/// the simulation showed: until the next call into it that changes its state.
class ObjectMemory {
  public:
    /// Asks the simulation where the ranges are; one result for each. There may be no objects.
    [[nodiscard]] static core::Result<std::vector<ObjectMemory>> find(
        Stage& stage, core::Simulation& simulation, std::span<const MemoryRange> ranges,
        std::uint64_t ticks_done);
    [[nodiscard]] static core::Result<ObjectMemory> find(Stage& stage, core::Simulation& simulation,
                                                         const MemoryRange& range,
                                                         std::uint64_t ticks_done);

    explicit ObjectMemory(const MemoryRange& range)
        : range_(&range), size_(static_cast<std::size_t>(range.size)) {}

    /// Takes an object into account if it is one of them.
    void add(const char* type, void* address, std::uint64_t size);

    /// Likewise those of the plan's globals that are of the type.
    void add_globals(const Stage& stage);

    /// The bytes of all objects, one object after the other in the state's order.
    [[nodiscard]] Bytes read() const;
    /// For a watch on the bytes of all objects, in the same order.
    [[nodiscard]] std::vector<WatchedMemory> watched() const;
    /// The way back of read. False, and nothing is written, where there are not as many objects.
    [[nodiscard]] bool write(std::span<const std::byte> bytes) const;
    /// Changes the bytes of every object, in one of several ways: many bits of each byte, the
    /// lowest bit of each, or to zero (and from zero to one). What one way makes an invalid value
    /// of, another makes a valid one.
    void poison(std::size_t way) const;

    /// Whether a word of eight bytes in one of them is an address in `own`.
    [[nodiscard]] bool holds_address(const OwnMemory& own) const;

    [[nodiscard]] bool empty() const { return places_.empty(); }

  private:
    const MemoryRange* range_;
    std::size_t size_;
    std::vector<std::byte*> places_;
};

// The shared library that a simulation comes from.

struct OwnLibrary {
    std::uint64_t base = 0;              ///< where it is loaded
    const void* code = nullptr;          ///< an address in it
    std::vector<AddressRange> writable;  ///< its variables, for as long as it is loaded
};

/// None where the simulation is part of the program, or on a system other than Linux.
[[nodiscard]] std::optional<OwnLibrary> library_of(const isotick_simulation_table& table);

}  // namespace isotick::harness
