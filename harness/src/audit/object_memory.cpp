#include "object_memory.hpp"

#include "../system/preload.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <utility>

#if defined(__linux__)
#include <cstring>
#include <link.h>
#endif

namespace isotick::harness {
namespace {

using core::Result;
using Memories = std::vector<ObjectMemory>;

std::int32_t begin_object(void* context, const char* type, void* address, std::uint64_t size) {
    for (ObjectMemory& memory : *static_cast<Memories*>(context)) {
        memory.add(type, address, size);
    }
    return ISOTICK_OK;
}

std::int32_t end_object(void*) {
    return ISOTICK_OK;
}

std::int32_t pass_over(void*, const char*, void*, std::uint64_t, std::uint32_t) {
    return ISOTICK_OK;
}

}  // namespace

OwnMemory::OwnMemory() {
    const preload::Unseen unseen;
    blocks_ = mapped_ranges();
}

bool OwnMemory::holds(std::uint64_t address) const {
    return std::ranges::any_of(blocks_, [address](const MappedRange& block) {
        return address >= block.begin && address < block.end;
    });
}

Result<Memories> ObjectMemory::find(Stage& stage, core::Simulation& simulation,
                                    std::span<const MemoryRange> ranges, std::uint64_t ticks_done) {
    Memories memories(ranges.begin(), ranges.end());
    const isotick_memory_visitor visitor{&memories, &begin_object, &end_object, &pass_over};
    for (ObjectMemory& memory : memories) {
        memory.add_globals(stage);
    }
    if (!stage.can(ISOTICK_HAS_MEMORY)) {
        return memories;
    }
    stage.enter(Activity::visiting, ticks_done);
    return simulation.visit_memory(visitor).map([&] { return std::move(memories); });
}

Result<ObjectMemory> ObjectMemory::find(Stage& stage, core::Simulation& simulation,
                                        const MemoryRange& range, std::uint64_t ticks_done) {
    return find(stage, simulation, std::span(&range, 1), ticks_done).map([](Memories memories) {
        return std::move(memories.front());
    });
}

void ObjectMemory::add(const char* type, void* address, std::uint64_t size) {
    if (type != nullptr && address != nullptr && range_->type == type &&
        range_->offset + range_->size <= size) {
        places_.push_back(static_cast<std::byte*>(address) + range_->offset);
    }
}

void ObjectMemory::add_globals(const Stage& stage) {
    for (const TypeMemory& global : stage.plan().globals) {
        for (const std::uint64_t offset : global.offsets) {
            add(global.type.c_str(), reinterpret_cast<void*>(stage.library_base() + offset),
                global.size);
        }
    }
}

Bytes ObjectMemory::read() const {
    Bytes bytes;
    for (const std::byte* place : places_) {
        bytes.insert(bytes.end(), place, place + size_);
    }
    return bytes;
}

std::vector<WatchedMemory> ObjectMemory::watched() const {
    std::vector<WatchedMemory> watched;
    for (std::byte* place : places_) {
        watched.push_back({place, size_});
    }
    return watched;
}

bool ObjectMemory::write(std::span<const std::byte> bytes) const {
    if (bytes.size() != places_.size() * size_) {
        return false;
    }
    const std::byte* from = bytes.data();
    for (std::byte* place : places_) {
        std::memcpy(place, from, size_);
        from += size_;
    }
    return true;
}

bool ObjectMemory::holds_address(const OwnMemory& own) const {
    for (const std::byte* place : places_) {
        const std::byte* const end = place + size_;
        const auto beyond = reinterpret_cast<std::uintptr_t>(place) % sizeof(std::uint64_t);
        const std::byte* word = place + (beyond == 0 ? 0 : sizeof(std::uint64_t) - beyond);
        for (; word < end && end - word >= std::ptrdiff_t{sizeof(std::uint64_t)};
             word += sizeof(std::uint64_t)) {
            std::uint64_t value = 0;
            std::memcpy(&value, word, sizeof value);
            if (own.holds(value)) {
                return true;
            }
        }
    }
    return false;
}

void ObjectMemory::poison(std::size_t way) const {
    constexpr std::byte kManyBits{0xa5};
    constexpr std::byte kOne{1};
    for (std::byte* place : places_) {
        const std::span bytes(place, size_);
        if (way % 3 != 2) {
            for (std::byte& byte : bytes) {
                byte ^= way % 3 == 0 ? kManyBits : kOne;
            }
            continue;
        }
        const bool is_zero = std::all_of(bytes.begin(), bytes.end(),
                                         [](std::byte byte) { return byte == std::byte{}; });
        std::fill(bytes.begin(), bytes.end(), std::byte{});
        bytes.front() = is_zero ? kOne : std::byte{};
    }
}

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
