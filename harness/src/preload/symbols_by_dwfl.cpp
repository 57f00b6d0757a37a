#include "function_name.hpp"

#include <memory>

#include <elfutils/libdwfl.h>

namespace isotick::harness {
namespace {

const Dwfl_Callbacks kCallbacks{.find_elf = dwfl_build_id_find_elf,
                                .find_debuginfo = dwfl_standard_find_debuginfo,
                                .section_address = dwfl_offline_section_address,
                                .debuginfo_path = nullptr};

}  // namespace

std::string symbol_at(const std::string& file, std::uint64_t offset) {
    const std::unique_ptr<Dwfl, void (*)(Dwfl*)> dwfl(dwfl_begin(&kCallbacks), dwfl_end);
    Dwfl_Module* const module =
        dwfl ? dwfl_report_offline(dwfl.get(), "", file.c_str(), -1) : nullptr;
    if (module == nullptr || dwfl_report_end(dwfl.get(), nullptr, nullptr) != 0) {
        return "";
    }
    Dwarf_Addr start = 0;
    dwfl_module_info(module, nullptr, &start, nullptr, nullptr, nullptr, nullptr, nullptr);
    GElf_Off into = 0;
    GElf_Sym symbol;
    const Dwarf_Addr address = start + offset - 1;  // the call, which is in front of it
    const char* const name =
        dwfl_module_addrinfo(module, address, &into, &symbol, nullptr, nullptr, nullptr);
    return name != nullptr && into < symbol.st_size ? name : "";
}

}  // namespace isotick::harness
