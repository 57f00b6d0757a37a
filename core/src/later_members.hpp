#pragma once
// Members of a simulation's table that were added later: null in tables that end before them.

#include <isotick/core/plugin.h>

#include <cstddef>

namespace isotick::core {

// Whether the table reaches to the end of the member, a pointer, that begins at `offset`.
inline bool reaches(const isotick_simulation_table& table, std::size_t offset) {
    return table.struct_size >= offset + sizeof(void*);
}

#define ISOTICK_LATER_MEMBER(name)                                                \
    inline auto name##_of(const isotick_simulation_table& table) {                \
        constexpr std::size_t kOffset = offsetof(isotick_simulation_table, name); \
        return reaches(table, kOffset) ? table.name : nullptr;                    \
    }

ISOTICK_LATER_MEMBER(save)
ISOTICK_LATER_MEMBER(load)
ISOTICK_LATER_MEMBER(visit_fields)
ISOTICK_LATER_MEMBER(visit_memory)
ISOTICK_LATER_MEMBER(describe_input)
ISOTICK_LATER_MEMBER(compose_input)
ISOTICK_LATER_MEMBER(settle)
ISOTICK_LATER_MEMBER(create_through)
ISOTICK_LATER_MEMBER(describe_input_through)
ISOTICK_LATER_MEMBER(compose_input_through)

#undef ISOTICK_LATER_MEMBER

}  // namespace isotick::core
