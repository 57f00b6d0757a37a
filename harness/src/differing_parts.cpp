#include "differing_parts.hpp"

#include <algorithm>
#include <cstddef>

namespace isotick::harness {

std::vector<std::string> differing_parts(const std::vector<std::string>& names,
                                         const std::vector<core::PartHash>& a,
                                         const std::vector<core::PartHash>& b) {
    std::vector<std::string> parts;
    const std::size_t count = std::min({names.size(), a.size(), b.size()});
    for (std::size_t i = 0; i < count; ++i) {
        if (a[i] != b[i]) {
            parts.push_back(names[i]);
        }
    }
    return parts;
}

}  // namespace isotick::harness
