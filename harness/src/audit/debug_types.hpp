#pragma once
// Types and their members, from debug information.

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <elfutils/libdw.h>
#include <elfutils/libdwfl.h>

namespace isotick::harness {

// The types that the debug information of the running process describes, by name.

/// Reads what the program and its plug-ins carry, and what is installed beside them by build id.
/// What is damaged or missing is left out. Not thread-safe.
class DebugTypes {
  public:
    DebugTypes();

    /// Structs and classes of this name, as demangling spells it, with their members; each valid
    /// while this lives.
    [[nodiscard]] std::vector<Dwarf_Die> find(std::string_view name) const;

    /// What `die`, a member or the like, is of: without typedefs and qualifiers, with the members
    /// that it has where it is only declared here. False if that is not known.
    [[nodiscard]] bool type_of(Dwarf_Die& die, Dwarf_Die& type) const;

    /// What it reads; null where nothing can be read.
    [[nodiscard]] Dwfl* source() const { return dwfl_.get(); }

  private:
    // By names that can be compared.
    using Names = std::multimap<std::string, Dwarf_Die, std::less<>>;
    struct Close {
        void operator()(Dwfl* dwfl) const { dwfl_end(dwfl); }
    };

    void read(Dwarf* dwarf);
    void read_scope(Dwarf_Die& scope, const std::string& prefix, int depth);
    void read_child(Dwarf_Die& child, const std::string& prefix, int depth);
    void read_struct(Dwarf_Die& child, const std::string& prefix, int depth);
    void read_typedef(Dwarf_Die& child, const std::string& prefix);
    void read_function(Dwarf_Die& function);

    std::unique_ptr<Dwfl, Close> dwfl_;
    Names types_;
    Names template_arguments_;
    std::map<const void*, std::string> declared_;  // types without their members, by place
};

/// Whether `die` has the flag `attribute`.
[[nodiscard]] bool debug_flag(Dwarf_Die& die, unsigned attribute);

/// Calls `act` with each child of `die`.
void for_each_child(Dwarf_Die& die, const std::function<void(Dwarf_Die&)>& act);

// What types are made of, as debug information tells.

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
