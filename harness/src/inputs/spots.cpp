#include "spots.hpp"

#include <utility>

namespace isotick::harness {
namespace {

using core::JsonValue;

constexpr std::size_t kMostSpots = 1024;

// Recursion ends with the depth that parse_json allows.
void add_spots(const JsonValue& value, std::string path, std::size_t members_end,
               std::vector<Spot>& spots) {
    if (spots.size() == kMostSpots) {
        return;
    }
    spots.push_back({path, &value, members_end});
    const bool is_object = value.kind == JsonValue::Kind::object;
    const std::size_t last = value.offset + value.size - 1;  // the bracket
    for (const core::JsonMember& member : value.members) {
        const std::string step = is_object ? (path.empty() ? "" : ".") + member.name : "[]";
        add_spots(member.value, path + step,
                  is_object ? last : member.value.offset + member.value.size, spots);
    }
}

}  // namespace

std::vector<Spot> spots_of(const JsonValue& document) {
    std::vector<Spot> spots;
    add_spots(document, "", document.offset + document.size, spots);
    return spots;
}

std::string_view literal_of(const JsonValue& value, std::string_view text) {
    return text.substr(value.offset, value.size);
}

std::string spliced(std::string_view text, std::size_t begin, std::size_t end,
                    std::string_view literal) {
    std::string result(text.substr(0, begin));
    result += literal;
    result += text.substr(end);
    return result;
}

}  // namespace isotick::harness
