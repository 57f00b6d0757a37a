#include "global_variables.hpp"

#include "debug_types.hpp"

#include <algorithm>
#include <dwarf.h>
#include <map>
#include <set>
#include <utility>

namespace isotick::harness {
namespace {

constexpr int kDeepestGlobal = 100;
constexpr std::size_t kMostObjects = 10'000;       // of all kinds
constexpr std::size_t kMostGlobalMembers = 2'000;  // likewise

std::uint64_t element_count(Dwarf_Die& array, Dwarf_Die& element) {
    const std::uint64_t size = size_of(element);
    return size == 0 ? 0 : size_of(array) / size;
}

/// Takes a variable apart.
class Pieces {
  public:
    Pieces(const DebugTypes& types, GlobalVariables& out) : types_(types), out_(out) {}

    void take(const std::string& name, Dwarf_Die& type, std::uint64_t address) {
        Dwarf_Die element;
        if (is_array_of_structs(type, element)) {
            elements(name, type, element, {address});
            return;
        }
        const std::size_t place = begin(name, size_of(type), {address});
        value(place, type, {"", 0, size_of(type), false}, 0);
    }

  private:
    [[nodiscard]] bool is_array_of_structs(Dwarf_Die& type, Dwarf_Die& element) const {
        return dwarf_tag(&type) == DW_TAG_array_type && types_.type_of(type, element) &&
               is_struct(element);
    }

    std::size_t begin(const std::string& name, std::uint64_t size,
                      std::vector<std::uint64_t> addresses) {
        objects_ += addresses.size();
        out_.known.push_back({name, size, std::move(addresses), {}});
        return out_.known.size() - 1;
    }

    void elements(const std::string& name, Dwarf_Die& array, Dwarf_Die& element,
                  const std::vector<std::uint64_t>& arrays) {
        const std::uint64_t count = element_count(array, element);
        if (count * arrays.size() > kMostObjects - std::min(objects_, kMostObjects)) {
            ++out_.unknown;
            return;
        }
        std::vector<std::uint64_t> addresses;
        for (const std::uint64_t first : arrays) {
            for (std::uint64_t i = 0; i < count; ++i) {
                addresses.push_back(first + i * size_of(element));
            }
        }
        const std::size_t place = begin(name + "[*]", size_of(element), std::move(addresses));
        value(place, element, {"", 0, size_of(element), false}, 0);
    }

    // Adds `member`, of the type `type`, to the variable at `place`.
    void value(std::size_t place, Dwarf_Die& type, NamedMember member, int depth) {
        Dwarf_Die element;
        if (members_ == kMostGlobalMembers || depth == kDeepestGlobal) {
            ++out_.unknown;
        } else if (dwarf_tag(&type) != DW_TAG_union_type && is_struct(type)) {
            members(place, type, member, depth);
        } else if (is_array_of_structs(type, element)) {
            const GlobalVariable& variable = out_.known[place];
            std::vector<std::uint64_t> arrays;
            for (const std::uint64_t address : variable.addresses) {
                arrays.push_back(address + member.offset);
            }
            elements(variable.name + "." + member.path, type, element, arrays);
        } else {
            member.plain = is_plain(types_, type);
            ++members_;
            add(out_.known[place].members, std::move(member));
        }
    }

    // Bits of one byte are one member.
    static void add(std::vector<NamedMember>& members, NamedMember member) {
        const bool same =
            !members.empty() && member.offset < members.back().offset + members.back().size;
        if (!same) {
            members.push_back(std::move(member));
        }
    }

    void members(std::size_t place, Dwarf_Die& type, const NamedMember& of, int depth) {
        for_each_child(type, [&](Dwarf_Die& child) {
            const bool base = dwarf_tag(&child) == DW_TAG_inheritance;
            Dwarf_Die held;
            MemberPlace at;
            if ((!base && !is_member(child)) || !types_.type_of(child, held) ||
                !place_of(child, held, at)) {
                return;
            }
            const char* const name = base ? nullptr : dwarf_diename(&child);
            std::string path = of.path;
            if (name != nullptr) {
                path += (path.empty() ? "" : ".") + std::string(name);
            }
            value(place, held, {std::move(path), of.offset + at.offset, at.size, false}, depth + 1);
        });
    }

    const DebugTypes& types_;
    GlobalVariables& out_;
    std::size_t objects_ = 0;
    std::size_t members_ = 0;
};

/// The variables of one library.
class GlobalSearch {
  public:
    GlobalSearch(const DebugTypes& types, const std::vector<AddressRange>& writable)
        : types_(types), writable_(writable) {}

    std::optional<GlobalVariables> in(Dwfl_Module* module) {
        Dwarf_Addr bias = 0;
        Dwarf* const dwarf = module != nullptr ? dwfl_module_getdwarf(module, &bias) : nullptr;
        bias_ = bias;
        if (module != nullptr) {
            read_symbols(module);
        }
        if (dwarf == nullptr) {
            const bool has_none = writable_.empty() || (is_symbol_table_whole_ && symbols_.empty());
            return has_none ? std::optional(GlobalVariables()) : std::nullopt;
        }
        Dwarf_CU* unit = nullptr;
        Dwarf_Half version = 0;
        std::uint8_t kind = 0;
        Dwarf_Die root;
        Dwarf_Die split;
        while (dwarf_get_units(dwarf, unit, &unit, &version, &kind, &root, &split) == 0) {
            in_scope(kind == DW_UT_skeleton && split.addr != nullptr ? split : root, "", 0);
        }
        GlobalVariables out;
        Pieces pieces(types_, out);
        for (auto& [address, variable] : found_) {
            pieces.take(variable.name, variable.type, address);
        }
        out.unknown += static_cast<std::uint64_t>(std::ranges::count_if(
            symbols_, [&](std::uint64_t address) { return !found_.contains(address); }));
        std::erase_if(out.known, [](const auto& variable) { return variable.members.empty(); });
        return out;
    }

  private:
    struct Found {
        std::string name;
        Dwarf_Die type;
    };

    void in_scope(Dwarf_Die& scope, const std::string& prefix, int depth) {
        if (depth == kDeepestGlobal) {
            return;
        }
        for_each_child(scope, [&](Dwarf_Die& child) {
            const char* const name = dwarf_diename(&child);
            const int tag = dwarf_tag(&child);
            if (tag == DW_TAG_variable) {
                take(child, prefix);
            } else if (tag == DW_TAG_namespace || tag == DW_TAG_subprogram) {
                in_scope(child, name != nullptr ? prefix + name + "::" : prefix, depth + 1);
            } else if (tag == DW_TAG_lexical_block) {
                in_scope(child, prefix, depth + 1);
            }
        });
    }

    void take(Dwarf_Die& variable, const std::string& prefix) {
        std::uint64_t address = 0;
        Dwarf_Die type;
        const char* const name = dwarf_diename(&variable);
        if (name == nullptr || !address_of(variable, address) || !types_.type_of(variable, type)) {
            return;
        }
        const std::uint64_t size = size_of(type);
        if (size != 0 && is_writable(address, size) && !foreign_.contains(address)) {
            found_.try_emplace(address, Found{prefix + name, type});
        }
    }

    bool address_of(Dwarf_Die& variable, std::uint64_t& address) const {
        Dwarf_Attribute place;
        Dwarf_Op* operations = nullptr;
        std::size_t count = 0;
        if (dwarf_attr_integrate(&variable, DW_AT_location, &place) == nullptr ||
            dwarf_getlocation(&place, &operations, &count) != 0 || count != 1) {
            return false;
        }
        if (operations->atom == DW_OP_addr) {
            address = operations->number + bias_;
            return true;
        }
        Dwarf_Attribute indexed;
        Dwarf_Addr value = 0;
        const bool known = operations->atom == DW_OP_addrx &&
                           dwarf_getlocation_attr(&place, operations, &indexed) == 0 &&
                           dwarf_formaddr(&indexed, &value) == 0;
        address = value + bias_;
        return known;
    }

    [[nodiscard]] bool is_writable(std::uint64_t address, std::uint64_t size) const {
        return std::ranges::any_of(writable_, [&](const AddressRange& range) {
            return range.begin <= address && address + size <= range.end;
        });
    }

    // What the symbol table has, but for what belongs to nobody who writes a simulation.
    void read_symbols(Dwfl_Module* module) {
        const int count = dwfl_module_getsymtab(module);
        // What is left of one that was stripped names no local symbols but the empty one.
        is_symbol_table_whole_ = dwfl_module_getsymtab_first_global(module) > 1;
        for (int i = 0; i < count; ++i) {
            GElf_Sym symbol;
            GElf_Addr address = 0;
            const char* const name =
                dwfl_module_getsym_info(module, i, &symbol, &address, nullptr, nullptr, nullptr);
            if (name != nullptr && GELF_ST_TYPE(symbol.st_info) == STT_OBJECT &&
                symbol.st_size != 0 && is_writable(address, symbol.st_size)) {
                (is_foreign(name) ? foreign_ : symbols_).insert(address);
            }
        }
    }

    // Guards of statics, what the linker adds, and what headers bring along.
    static bool is_foreign(std::string_view name) {
        return name.starts_with("__") || name.starts_with("DW.ref.") || name.starts_with("_ZGV") ||
               name.starts_with("completed.") || name.starts_with("_ZSt") ||
               name.starts_with("_ZNSt") || name.starts_with("_ZZNSt") ||
               name.find("6cereal") != std::string_view::npos ||
               name.find("7isotick4core") != std::string_view::npos;
    }

    const DebugTypes& types_;
    const std::vector<AddressRange>& writable_;
    std::uint64_t bias_ = 0;
    bool is_symbol_table_whole_ = false;
    std::map<std::uint64_t, Found> found_;
    std::set<std::uint64_t> symbols_;
    std::set<std::uint64_t> foreign_;
};

}  // namespace

std::optional<GlobalVariables> global_variables(const void* code,
                                                const std::vector<AddressRange>& writable) {
    const DebugTypes types;
    if (types.source() == nullptr) {
        return std::nullopt;
    }
    return GlobalSearch(types, writable)
        .in(dwfl_addrmodule(types.source(), reinterpret_cast<std::uintptr_t>(code)));
}

}  // namespace isotick::harness
