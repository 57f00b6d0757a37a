#include "own_library.hpp"

#if defined(__linux__)
#include <cstring>
#include <link.h>
#endif

namespace isotick::harness {

#if defined(__linux__)

namespace {

struct LibrarySearch {
    std::uint64_t address = 0;
    std::optional<OwnLibrary> found;
};

bool holds(const dl_phdr_info& library, std::uint64_t address) {
    for (std::size_t i = 0; i < library.dlpi_phnum; ++i) {
        const ElfW(Phdr)& part = library.dlpi_phdr[i];
        const std::uint64_t begin = library.dlpi_addr + part.p_vaddr;
        if (part.p_type == PT_LOAD && address >= begin && address < begin + part.p_memsz) {
            return true;
        }
    }
    return false;
}

// What is writable for good: the loader makes a part of the first such segment read-only.
std::vector<AddressRange> writable_in(const dl_phdr_info& library) {
    AddressRange sealed;
    for (std::size_t i = 0; i < library.dlpi_phnum; ++i) {
        const ElfW(Phdr)& part = library.dlpi_phdr[i];
        if (part.p_type == PT_GNU_RELRO) {
            sealed = {library.dlpi_addr + part.p_vaddr,
                      library.dlpi_addr + part.p_vaddr + part.p_memsz};
        }
    }
    std::vector<AddressRange> writable;
    for (std::size_t i = 0; i < library.dlpi_phnum; ++i) {
        const ElfW(Phdr)& part = library.dlpi_phdr[i];
        AddressRange range{library.dlpi_addr + part.p_vaddr,
                           library.dlpi_addr + part.p_vaddr + part.p_memsz};
        if (part.p_type != PT_LOAD || (part.p_flags & PF_W) == 0) {
            continue;
        }
        if (sealed.begin <= range.begin && range.begin < sealed.end) {
            range.begin = sealed.end;
        }
        if (range.begin < range.end) {
            writable.push_back(range);
        }
    }
    return writable;
}

int look_at_library(dl_phdr_info* library, std::size_t, void* context) {
    auto& search = *static_cast<LibrarySearch*>(context);
    if (!holds(*library, search.address)) {
        return 0;
    }
    if (library->dlpi_name != nullptr && library->dlpi_name[0] != '\0') {  // else the program
        search.found = OwnLibrary{library->dlpi_addr, nullptr, writable_in(*library)};
    }
    return 1;
}

}  // namespace

std::optional<OwnLibrary> library_of(const isotick_simulation_table& table) {
    LibrarySearch search;
    static_assert(sizeof table.step == sizeof(void*));
    const void* code = nullptr;
    std::memcpy(&code, &table.step, sizeof code);
    search.address = reinterpret_cast<std::uintptr_t>(code);
    dl_iterate_phdr(&look_at_library, &search);
    if (search.found) {
        search.found->code = code;
    }
    return search.found;
}

#else

std::optional<OwnLibrary> library_of(const isotick_simulation_table&) {
    return std::nullopt;
}

#endif

}  // namespace isotick::harness
