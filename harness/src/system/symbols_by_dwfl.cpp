#include "site_names.hpp"

#include <algorithm>
#include <cstdlib>
#include <dwarf.h>
#include <memory>
#include <string>
#include <utility>

#include <elfutils/libdwfl.h>

namespace isotick::harness {
namespace {

const Dwfl_Callbacks kBuildIdCallbacks{.find_elf = dwfl_build_id_find_elf,
                                       .find_debuginfo = dwfl_standard_find_debuginfo,
                                       .section_address = dwfl_offline_section_address,
                                       .debuginfo_path = nullptr};

CodePlace at_line(const char* file, int line) {
    return {"", file != nullptr ? file : "", line > 0 ? static_cast<std::uint64_t>(line) : 0};
}

CodePlace line_at(Dwfl_Module* module, Dwarf_Addr address) {
    Dwfl_Line* const found = dwfl_module_getsrc(module, address);
    int line = 0;
    const char* const file = found == nullptr
                                 ? nullptr
                                 : dwfl_lineinfo(found, nullptr, &line, nullptr, nullptr, nullptr);
    return at_line(file, line);
}

Dwarf_Word number_of(Dwarf_Die* die, unsigned name) {
    Dwarf_Attribute attribute;
    Dwarf_Word value = 0;
    return dwarf_attr(die, name, &attribute) != nullptr && dwarf_formudata(&attribute, &value) == 0
               ? value
               : 0;
}

// From where a function is called that is inlined there.
CodePlace call_of(Dwarf_Die* unit, Dwarf_Die* inlined) {
    Dwarf_Files* files = nullptr;
    std::size_t count = 0;
    const Dwarf_Word file = number_of(inlined, DW_AT_call_file);
    const bool is_known = dwarf_getsrcfiles(unit, &files, &count) == 0 && file < count;
    return at_line(is_known ? dwarf_filesrc(files, file, nullptr, nullptr) : nullptr,
                   static_cast<int>(number_of(inlined, DW_AT_call_line)));
}

// Where it is declared, in its class or namespace.
Dwarf_Die declaration_of(Dwarf_Die die) {
    for (const unsigned by : {DW_AT_abstract_origin, DW_AT_specification}) {
        Dwarf_Attribute attribute;
        Dwarf_Die referred;
        if (dwarf_attr(&die, by, &attribute) != nullptr &&
            dwarf_formref_die(&attribute, &referred) != nullptr) {
            die = referred;
        }
    }
    return die;
}

// Of a function that no other file sees, its name with those around it.
std::string qualified_name(Dwarf_Die* function) {
    Dwarf_Die declaration = declaration_of(*function);
    const char* const own = dwarf_diename(&declaration);
    std::string name = own != nullptr ? own : "";
    Dwarf_Die* around = nullptr;
    const int count = dwarf_getscopes_die(&declaration, &around);
    for (int i = 1; i < count && dwarf_tag(&around[i]) != DW_TAG_compile_unit; ++i) {
        if (const char* const scope = dwarf_diename(&around[i])) {
            name.insert(0, std::string(scope) + "::");
        }
    }
    std::free(around);
    return name;
}

std::string name_of(Dwarf_Die* function) {
    Dwarf_Attribute attribute;
    const char* const linked =
        dwarf_formstring(dwarf_attr_integrate(function, DW_AT_linkage_name, &attribute));
    return linked != nullptr ? linked : qualified_name(function);
}

// Whether it is the rest of the function that it is inlined into: GCC splits a function after an
// early return, and inlines what follows where the beginning has its first line.
bool is_rest_of(Dwarf_Die* around, Dwarf_Die* inlined, std::uint64_t called_in_line) {
    int first_line = 0;
    return dwarf_decl_line(inlined, &first_line) == 0 &&
           called_in_line == static_cast<std::uint64_t>(first_line) &&
           name_of(around) == name_of(inlined);
}

// What is inlined at the address, then where all that is called, in a function without a name yet.
std::vector<CodePlace> inlined_at(Dwfl_Module* module, Dwarf_Addr address) {
    std::vector<CodePlace> places{line_at(module, address)};
    Dwarf_Addr bias = 0;
    Dwarf_Die* unit = dwfl_module_addrdie(module, address, &bias);
    Dwarf_Die* innermost = nullptr;
    const int found = unit == nullptr ? 0 : dwarf_getscopes(unit, address - bias, &innermost);
    Dwarf_Die* scopes = nullptr;
    const int count = found > 0 ? dwarf_getscopes_die(innermost, &scopes) : 0;
    const auto is_function = [](Dwarf_Die& scope) {
        return dwarf_tag(&scope) == DW_TAG_inlined_subroutine ||
               dwarf_tag(&scope) == DW_TAG_subprogram;
    };
    Dwarf_Die* const end = scopes + std::max(count, 0);
    for (Dwarf_Die* scope = std::find_if(scopes, end, is_function);
         scope != end && dwarf_tag(scope) == DW_TAG_inlined_subroutine;) {
        Dwarf_Die* const around = std::find_if(scope + 1, end, is_function);
        CodePlace call = call_of(unit, scope);
        if (around == end || !is_rest_of(around, scope, call.line)) {
            places.back().function = name_of(scope);
            places.push_back(std::move(call));
        }
        scope = around;
    }
    std::free(scopes);
    std::free(innermost);
    return places;
}

}  // namespace

std::vector<CodePlace> functions_at(const std::string& file, std::uint64_t offset) {
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
    std::vector<CodePlace> places = inlined_at(module, address);
    if (name != nullptr && into < symbol.st_size) {
        places.back().function = name;
    } else {
        places.pop_back();
    }
    return places;
}

}  // namespace isotick::harness
