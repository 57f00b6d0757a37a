#pragma once
// Variables that live as long as a library is loaded, by their names.

#include "member_names.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace isotick::harness {

/// A variable, or the elements of an array of structs, which are objects of one kind.
struct GlobalVariable {
    std::string name;                      ///< `random_state`, `step::calls`, `world.units[*]`
    std::uint64_t size = 0;                ///< bytes of one object
    std::vector<std::uint64_t> addresses;  ///< of the objects
    /// What an object holds, without structs: their members stand here themselves. Of a variable
    /// that is a single value, that value with an empty path.
    std::vector<NamedMember> members;
};

struct GlobalVariables {
    std::vector<GlobalVariable> known;  ///< by address
    std::uint64_t unknown = 0;  ///< that the symbol table has beside them, or if there are too many
};

/// Addresses from `begin` to before `end`.
struct AddressRange {
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
};

/// The variables within `writable` of the library whose code is at `code`. No value: there is no
/// debug information for it, or none can be read on this system, and it may have variables.
[[nodiscard]] std::optional<GlobalVariables> global_variables(
    const void* code, const std::vector<AddressRange>& writable);

}  // namespace isotick::harness
