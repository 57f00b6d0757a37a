// Where debug information cannot be read.

#include "member_names.hpp"

namespace isotick::harness {

class MemberNames::Index {};

MemberNames::MemberNames() = default;
MemberNames::~MemberNames() = default;

std::optional<std::vector<NamedMember>> MemberNames::members_at(std::string_view, std::uint64_t,
                                                                ObjectRange) {
    return std::nullopt;
}

}  // namespace isotick::harness
