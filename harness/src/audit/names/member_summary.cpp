#include "member_names.hpp"

namespace isotick::harness {

std::string summary(const std::vector<NamedMember>& members) {
    if (members.empty()) {
        return "";
    }
    return members.size() == 1 ? members.front().path
                               : members.front().path + " … " + members.back().path;
}

}  // namespace isotick::harness
