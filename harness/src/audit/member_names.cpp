#include "member_names.hpp"

#include "debug_types.hpp"

#include <algorithm>
#include <dwarf.h>

namespace isotick::harness {
namespace {

constexpr int kDeepestMember = 100;  // members within members
constexpr std::size_t kMostMembers = 10'000;

// Whether objects of a struct have any members at all.
bool holds_anything(const DebugTypes& types, Dwarf_Die& type, int depth) {
    bool any = depth >= kDeepestMember;
    for_each_child(type, [&](Dwarf_Die& child) {
        Dwarf_Die base;
        any = any || is_member(child) ||
              (dwarf_tag(&child) == DW_TAG_inheritance &&
               (!types.type_of(child, base) || holds_anything(types, base, depth + 1)));
    });
    return any;
}

// Whether `name` is one of those that belong to compilers and standard libraries.
bool is_reserved(const char* name) {
    return name != nullptr && name[0] == '_' && (name[1] == '_' || std::isupper(name[1]) != 0);
}

// Whether the members of `type` are a standard library's own affair.
bool is_closed(const DebugTypes& types, Dwarf_Die& type) {
    bool closed = false;
    for_each_child(type, [&](Dwarf_Die& child) {
        Dwarf_Die base;
        if (is_member(child)) {
            closed = closed || is_reserved(dwarf_diename(&child));
        } else if (dwarf_tag(&child) == DW_TAG_inheritance && types.type_of(child, base)) {
            closed = closed || is_reserved(dwarf_diename(&base));
        }
    });
    return closed;
}

// Collects the members that hold some of a range.
class MemberSearch {
  public:
    MemberSearch(const DebugTypes& types, ObjectRange range, Nested nested)
        : types_(types),
          range_{range.offset, std::min(range.size, UINT64_MAX - range.offset)},
          nested_(nested) {}

    void in_struct(Dwarf_Die& type, std::uint64_t offset, const std::string& prefix, int depth) {
        if (depth == kDeepestMember) {
            return;
        }
        for_each_child(type, [&](Dwarf_Die& child) {
            Dwarf_Die held;
            MemberPlace place;
            const bool base = dwarf_tag(&child) == DW_TAG_inheritance;
            if (!base && !is_member(child)) {
                return;
            }
            if (!types_.type_of(child, held) || !place_of(child, held, place)) {
                unknown_ = true;
                return;
            }
            place.offset += offset;
            const char* const name = dwarf_diename(base ? &held : &child);
            if (base) {
                in_struct(held, place.offset,
                          prefix + (name != nullptr ? name : "") + "::", depth + 1);
            } else if (overlaps(place)) {
                in_member(held, place, name, prefix, depth + 1);
            }
        });
    }

    /// In order of their places; no value if there may be more.
    std::optional<std::vector<NamedMember>> take() {
        if (found_.empty() && unknown_) {
            return std::nullopt;
        }
        std::stable_sort(found_.begin(), found_.end(),
                         [](const auto& a, const auto& b) { return a.offset < b.offset; });
        return std::move(found_);
    }

  private:
    [[nodiscard]] bool overlaps(MemberPlace place) const {
        return place.offset < range_.offset + range_.size &&
               range_.offset < place.offset + place.size;
    }
    [[nodiscard]] bool covers(MemberPlace place) const {
        return range_.offset <= place.offset &&
               place.offset + place.size <= range_.offset + range_.size;
    }

    // The members of a union lie in the same place: it says more as a whole.
    [[nodiscard]] bool is_split(Dwarf_Die& type, MemberPlace place) const {
        return !covers(place) ||
               (nested_ == Nested::split && dwarf_tag(&type) != DW_TAG_union_type);
    }

    void in_member(Dwarf_Die& type, MemberPlace place, const char* name, const std::string& prefix,
                   int depth) {
        if (is_struct(type) && !holds_anything(types_, type, depth)) {
            return;
        }
        if (name == nullptr) {  // the members of a struct or union without a name
            in_struct(type, place.offset, prefix, depth);
        } else if (is_struct(type) && is_split(type, place) && !is_closed(types_, type)) {
            in_struct(type, place.offset, prefix + name + ".", depth);
        } else if (dwarf_tag(&type) == DW_TAG_array_type && !covers(place)) {
            in_array(type, place, prefix + name, depth);
        } else if (found_.size() < kMostMembers) {
            found_.push_back({prefix + name, place.offset, place.size, is_plain(types_, type)});
        }
    }

    // Elements one by one; those of inner arrays are counted through.
    void in_array(Dwarf_Die& array, MemberPlace place, const std::string& path, int depth) {
        Dwarf_Die element;
        if (!types_.type_of(array, element) || size_of(element) == 0) {
            return;
        }
        const std::uint64_t size = size_of(element);
        const std::uint64_t first =
            range_.offset > place.offset ? (range_.offset - place.offset) / size : 0;
        for (std::uint64_t i = first; (i + 1) * size <= place.size; ++i) {
            const MemberPlace at{place.offset + i * size, size};
            if (!overlaps(at) || found_.size() == kMostMembers) {
                return;
            }
            const std::string name = path + "[" + std::to_string(i) + "]";
            in_member(element, at, name.c_str(), "", depth);
        }
    }

    const DebugTypes& types_;
    ObjectRange range_;
    Nested nested_;
    std::vector<NamedMember> found_;
    bool unknown_ = false;  // there are members whose type or place is not known
};

}  // namespace

class MemberNames::Index : public DebugTypes {};

MemberNames::MemberNames() = default;
MemberNames::~MemberNames() = default;

std::optional<std::vector<NamedMember>> MemberNames::members_at(std::string_view type,
                                                                std::uint64_t type_size,
                                                                ObjectRange range, Nested nested) {
    if (index_ == nullptr) {
        index_ = std::make_unique<Index>();
    }
    std::vector<Dwarf_Die> found = index_->find(type);
    auto place = std::find_if(found.begin(), found.end(),
                              [&](Dwarf_Die& die) { return size_of(die) == type_size; });
    if (place == found.end()) {  // a base, without the padding at its end
        place = std::find_if(found.begin(), found.end(),
                             [&](Dwarf_Die& die) { return size_of(die) > type_size; });
    }
    if (place == found.end()) {
        return std::nullopt;
    }
    MemberSearch search(*index_, range, nested);
    search.in_struct(*place, 0, "", 0);
    return search.take();
}

}  // namespace isotick::harness
