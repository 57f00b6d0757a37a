// Where debug information cannot be read.

#include "global_variables.hpp"
#include "member_names.hpp"

namespace isotick::harness {

class MemberNames::Index {};

MemberNames::MemberNames() = default;
MemberNames::~MemberNames() = default;

std::optional<std::vector<NamedMember>> MemberNames::members_at(std::string_view, std::uint64_t,
                                                                ObjectRange, Nested) {
    return std::nullopt;
}

std::optional<GlobalVariables> global_variables(const void*, const std::vector<AddressRange>&) {
    return std::nullopt;
}

}  // namespace isotick::harness
