#pragma once
// What types are made of, as debug information tells.

#include "debug_types.hpp"

#include <cstdint>

namespace isotick::harness {

/// Whether `type` is a struct, class or union.
[[nodiscard]] bool is_struct(Dwarf_Die& type);

/// Bytes of an object of `type`; 0 if that is not known.
[[nodiscard]] std::uint64_t size_of(Dwarf_Die& type);

/// Whether all that a `type` holds is numbers.
[[nodiscard]] bool is_plain(const DebugTypes& types, Dwarf_Die& type);

/// Whether `die` is a member that objects hold, and not the compiler's.
[[nodiscard]] bool is_member(Dwarf_Die& die);

/// Where a member or base of `type` is in its object, in bytes; false for virtual bases, which
/// move.
struct MemberPlace {
    std::uint64_t offset = 0;
    std::uint64_t size = 0;
};
[[nodiscard]] bool place_of(Dwarf_Die& member, Dwarf_Die& type, MemberPlace& place);

}  // namespace isotick::harness
