#include "debug_shapes.hpp"

#include <dwarf.h>

namespace isotick::harness {
namespace {

constexpr int kDeepestShape = 100;

bool number(Dwarf_Die& die, unsigned attribute, std::uint64_t& value) {
    Dwarf_Attribute found;
    Dwarf_Word word = 0;
    if (dwarf_formudata(dwarf_attr(&die, attribute, &found), &word) != 0) {
        return false;
    }
    value = word;
    return true;
}

bool is_plain_within(const DebugTypes& types, Dwarf_Die& type, int depth) {
    if (is_struct(type)) {
        bool plain = depth < kDeepestShape;
        for_each_child(type, [&](Dwarf_Die& child) {
            Dwarf_Die held;
            if (dwarf_tag(&child) == DW_TAG_inheritance || dwarf_tag(&child) == DW_TAG_member) {
                const bool counts =
                    !debug_flag(child, DW_AT_external) && !debug_flag(child, DW_AT_declaration);
                plain = plain && (!counts || (types.type_of(child, held) &&
                                              is_plain_within(types, held, depth + 1)));
            }
        });
        return plain;
    }
    if (dwarf_tag(&type) == DW_TAG_array_type) {
        Dwarf_Die element;
        return depth < kDeepestShape && types.type_of(type, element) &&
               is_plain_within(types, element, depth + 1);
    }
    return dwarf_tag(&type) == DW_TAG_base_type || dwarf_tag(&type) == DW_TAG_enumeration_type;
}

}  // namespace

bool is_struct(Dwarf_Die& type) {
    const int tag = dwarf_tag(&type);
    return tag == DW_TAG_structure_type || tag == DW_TAG_class_type || tag == DW_TAG_union_type;
}

std::uint64_t size_of(Dwarf_Die& type) {
    Dwarf_Word size = 0;
    return dwarf_aggregate_size(&type, &size) == 0 ? size : 0;
}

bool is_member(Dwarf_Die& die) {
    return dwarf_tag(&die) == DW_TAG_member && !debug_flag(die, DW_AT_external) &&
           !debug_flag(die, DW_AT_declaration) && !debug_flag(die, DW_AT_artificial);
}

bool place_of(Dwarf_Die& member, Dwarf_Die& type, MemberPlace& place) {
    std::uint64_t bit = 0;
    std::uint64_t bits = 0;
    place = {0, size_of(type)};
    Dwarf_Attribute attribute;
    if (dwarf_attr(&member, DW_AT_data_member_location, &attribute) != nullptr &&
        !number(member, DW_AT_data_member_location, place.offset)) {
        return false;
    }
    if (number(member, DW_AT_bit_size, bits)) {
        if (!number(member, DW_AT_data_bit_offset, bit)) {  // before DWARF 5, from the other end
            number(member, DW_AT_bit_offset, bit);
            bit = 8 * place.offset + 8 * place.size - bit - bits;
        }
        place.offset = bit / 8;
        place.size = (bit + bits + 7) / 8 - place.offset;
    }
    return true;
}

bool is_plain(const DebugTypes& types, Dwarf_Die& type) {
    return is_plain_within(types, type, 0);
}

}  // namespace isotick::harness
