#include "site_names.hpp"

#include <cstdlib>
#include <dwarf.h>
#include <memory>

#include <elfutils/libdwfl.h>

namespace isotick::harness {
namespace {

const Dwfl_Callbacks kBuildIdCallbacks{.find_elf = dwfl_build_id_find_elf,
                                       .find_debuginfo = dwfl_standard_find_debuginfo,
                                       .section_address = dwfl_offline_section_address,
                                       .debuginfo_path = nullptr};

// Of what is inlined at the address, as debug information has it.
std::vector<std::string> inlined_at(Dwfl_Module* module, Dwarf_Addr address) {
    std::vector<std::string> names;
    Dwarf_Addr bias = 0;
    Dwarf_Die* unit = dwfl_module_addrdie(module, address, &bias);
    Dwarf_Die* innermost = nullptr;
    const int found = unit == nullptr ? 0 : dwarf_getscopes(unit, address - bias, &innermost);
    Dwarf_Die* scopes = nullptr;
    const int count = found > 0 ? dwarf_getscopes_die(innermost, &scopes) : 0;
    for (int i = 0; i < count && dwarf_tag(&scopes[i]) != DW_TAG_subprogram; ++i) {
        if (dwarf_tag(&scopes[i]) == DW_TAG_inlined_subroutine) {
            Dwarf_Attribute attribute;
            const char* const linked =
                dwarf_formstring(dwarf_attr_integrate(&scopes[i], DW_AT_linkage_name, &attribute));
            const char* const name = linked != nullptr ? linked : dwarf_diename(&scopes[i]);
            names.emplace_back(name != nullptr ? name : "");
        }
    }
    std::free(scopes);
    std::free(innermost);
    return names;
}

}  // namespace

std::vector<std::string> symbols_at(const std::string& file, std::uint64_t offset) {
    const std::unique_ptr<Dwfl, void (*)(Dwfl*)> dwfl(dwfl_begin(&kBuildIdCallbacks), dwfl_end);
    Dwfl_Module* const module =
        dwfl ? dwfl_report_offline(dwfl.get(), "", file.c_str(), -1) : nullptr;
    if (module == nullptr || dwfl_report_end(dwfl.get(), nullptr, nullptr) != 0) {
        return {};
    }
    Dwarf_Addr start = 0;
    dwfl_module_info(module, nullptr, &start, nullptr, nullptr, nullptr, nullptr, nullptr);
    GElf_Off into = 0;
    GElf_Sym symbol;
    const Dwarf_Addr address = start + offset - 1;  // the call, which is in front of it
    const char* const name =
        dwfl_module_addrinfo(module, address, &into, &symbol, nullptr, nullptr, nullptr);
    std::vector<std::string> names = inlined_at(module, address);
    if (name != nullptr && into < symbol.st_size) {
        names.emplace_back(name);
    }
    return names;
}

}  // namespace isotick::harness
