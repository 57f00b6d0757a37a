#include "debug_types.hpp"

#include <algorithm>
#include <cstdlib>
#include <cxxabi.h>
#include <dwarf.h>
#include <unistd.h>

namespace isotick::harness {
namespace {

// Scopes within scopes, of files that nobody vouches for.
constexpr int kDeepestType = 100;

// Separate files with debug information are found by build id only: what looks further may ask a
// server, or the environment.
const Dwfl_Callbacks kCallbacks{.find_elf = dwfl_linux_proc_find_elf,
                                .find_debuginfo = dwfl_build_id_find_debuginfo,
                                .section_address = nullptr,
                                .debuginfo_path = nullptr};

void replace_all(std::string& text, std::string_view from, std::string_view to) {
    for (std::size_t at = text.find(from); at != std::string::npos;
         at = text.find(from, at + to.size())) {
        text.replace(at, from.size(), to);
    }
}

// `4ul` and `4` are the same template argument.
void drop_suffixes(std::string& text) {
    std::string kept;
    bool number = false;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const char letter = text[i];
        const bool digit = letter >= '0' && letter <= '9';
        const bool begins =
            kept.empty() || std::string_view("<,(-)").find(kept.back()) != std::string_view::npos;
        const bool suffix = std::string_view("uUlL").find(letter) != std::string_view::npos;
        if (number && suffix) {
            continue;
        }
        number = digit && (number || begins);
        kept += letter;
    }
    text = std::move(kept);
}

// A type's name without what compilers and demanglers spell differently.
std::string comparable(std::string_view name) {
    if (name.starts_with("struct ")) {  // as C spells it
        name.remove_prefix(7);
    }
    std::string text(name);
    std::erase(text, ' ');
    if (text.find('<') == std::string::npos) {
        return text;
    }
    replace_all(text, "<unnamed>", "(anonymousnamespace)");
    replace_all(text, "longlongunsignedint", "unsignedlonglong");
    replace_all(text, "longunsignedint", "unsignedlong");
    replace_all(text, "shortunsignedint", "unsignedshort");
    replace_all(text, "longint", "long");
    replace_all(text, "shortint", "short");
    drop_suffixes(text);
    return text;
}

// What `die` is of, without typedefs and qualifiers.
bool named_type(Dwarf_Die& die, Dwarf_Die& type) {
    Dwarf_Attribute attribute;
    Dwarf_Die named;
    return dwarf_formref_die(dwarf_attr_integrate(&die, DW_AT_type, &attribute), &named) !=
               nullptr &&
           dwarf_peel_type(&named, &type) == 0;
}

const char* linkage_name(Dwarf_Die& function) {
    Dwarf_Attribute attribute;
    return dwarf_formstring(dwarf_attr_integrate(&function, DW_AT_linkage_name, &attribute));
}

// `T` of the mangled name of `isotick::core::detail::type_name<T>()`.
std::string argument_of(const char* mangled) {
    int status = 0;
    const std::unique_ptr<char, void (*)(void*)> demangled(
        abi::__cxa_demangle(mangled, nullptr, nullptr, &status), &std::free);
    if (status != 0 || demangled == nullptr) {
        return {};
    }
    constexpr std::string_view kBegin = "isotick::core::detail::type_name<";
    constexpr std::string_view kEnd = ">()";
    const std::string_view name = demangled.get();
    const std::size_t begin = name.find(kBegin);
    if (begin == std::string_view::npos || !name.ends_with(kEnd)) {
        return {};
    }
    const std::string_view from = name.substr(begin + kBegin.size());
    return comparable(from.substr(0, from.size() - kEnd.size()));
}

}  // namespace

DebugTypes::DebugTypes() : dwfl_(dwfl_begin(&kCallbacks)) {
    if (dwfl_ == nullptr || dwfl_linux_proc_report(dwfl_.get(), getpid()) != 0 ||
        dwfl_report_end(dwfl_.get(), nullptr, nullptr) != 0) {
        return;
    }
    const auto read_module = [](Dwfl_Module* module, void**, const char*, Dwarf_Addr,
                                void* self) -> int {
        Dwarf_Addr bias = 0;
        static_cast<DebugTypes*>(self)->read(dwfl_module_getdwarf(module, &bias));
        return DWARF_CB_OK;
    };
    dwfl_getmodules(dwfl_.get(), read_module, this, 0);
}

void DebugTypes::read(Dwarf* dwarf) {
    Dwarf_CU* unit = nullptr;
    Dwarf_Half version = 0;
    std::uint8_t type = 0;
    Dwarf_Die root;
    Dwarf_Die split;
    while (dwarf != nullptr &&
           dwarf_get_units(dwarf, unit, &unit, &version, &type, &root, &split) == 0) {
        read_scope(type == DW_UT_skeleton && split.addr != nullptr ? split : root, "", 0);
    }
}

void DebugTypes::read_scope(Dwarf_Die& scope, const std::string& prefix, int depth) {
    if (depth < kDeepestType) {
        for_each_child(scope, [&](Dwarf_Die& child) { read_child(child, prefix, depth + 1); });
    }
}

void DebugTypes::read_child(Dwarf_Die& child, const std::string& prefix, int depth) {
    switch (dwarf_tag(&child)) {
        case DW_TAG_namespace: {
            const char* const name = dwarf_diename(&child);
            read_scope(child,
                       prefix + (name != nullptr ? name : "(anonymousnamespace)") + "::", depth);
            break;
        }
        case DW_TAG_structure_type:
        case DW_TAG_class_type:
        case DW_TAG_union_type:
            read_struct(child, prefix, depth);
            break;
        case DW_TAG_typedef:
            read_typedef(child, prefix);
            break;
        case DW_TAG_subprogram:
            read_function(child);
            break;
        default:
            break;
    }
}

void DebugTypes::read_struct(Dwarf_Die& child, const std::string& prefix, int depth) {
    const char* const own = dwarf_diename(&child);
    if (own == nullptr) {
        return;
    }
    const std::string name = comparable(prefix + own);
    if (debug_flag(child, DW_AT_declaration)) {
        declared_[child.addr] = name;
    } else {
        types_.emplace(name, child);
    }
    read_scope(child, name + "::", depth);
}

// In C a type's usual name is a typedef's, and its struct has another or none.
void DebugTypes::read_typedef(Dwarf_Die& child, const std::string& prefix) {
    const char* const own = dwarf_diename(&child);
    Dwarf_Die type;
    if (own == nullptr || !named_type(child, type) || !is_struct(type) ||
        debug_flag(type, DW_AT_declaration)) {
        return;
    }
    const char* const tag = dwarf_diename(&type);
    if (tag == nullptr || (prefix.empty() && std::string_view(tag) != own)) {
        types_.emplace(comparable(prefix + own), type);
    }
}

// Template arguments are spelled in more ways than comparable() knows. But the adapter of a C++
// simulation takes the name of each of its types from a function template for that type: its
// mangled name has the argument as visit_memory writes it, and its parameter is the type. (GCC
// gives no mangled name where the type is in an unnamed namespace.)
void DebugTypes::read_function(Dwarf_Die& function) {
    const char* const name = dwarf_diename(&function);
    if (name == nullptr || !std::string_view(name).starts_with("type_name<")) {
        return;
    }
    const char* const mangled = linkage_name(function);
    const std::string argument = mangled != nullptr ? argument_of(mangled) : "";
    if (argument.empty()) {
        return;
    }
    for_each_child(function, [&](Dwarf_Die& child) {
        Dwarf_Die type;
        if (dwarf_tag(&child) == DW_TAG_template_type_parameter && named_type(child, type) &&
            !debug_flag(type, DW_AT_declaration)) {
            template_arguments_.emplace(argument, type);
        }
    });
}

std::vector<Dwarf_Die> DebugTypes::find(std::string_view name) const {
    std::vector<Dwarf_Die> found;
    const std::string wanted = comparable(name);
    for (const Names* names : {&template_arguments_, &types_}) {
        const auto [begin, end] = names->equal_range(wanted);
        std::for_each(begin, end, [&](const auto& entry) { found.push_back(entry.second); });
    }
    return found;
}

bool debug_flag(Dwarf_Die& die, unsigned attribute) {
    Dwarf_Attribute found;
    bool flag = false;
    return dwarf_formflag(dwarf_attr(&die, attribute, &found), &flag) == 0 && flag;
}

bool DebugTypes::type_of(Dwarf_Die& die, Dwarf_Die& type) const {
    if (!named_type(die, type)) {
        return false;
    }
    if (!debug_flag(type, DW_AT_declaration)) {
        return true;
    }
    const auto name = declared_.find(type.addr);
    const auto place = name != declared_.end() ? types_.find(name->second) : types_.end();
    if (place != types_.end()) {
        type = place->second;
    }
    return place != types_.end();
}

void for_each_child(Dwarf_Die& die, const std::function<void(Dwarf_Die&)>& act) {
    Dwarf_Die child;
    if (dwarf_child(&die, &child) != 0) {
        return;
    }
    do {
        Dwarf_Die copy = child;
        act(copy);
    } while (dwarf_siblingof(&child, &child) == 0);
}

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
