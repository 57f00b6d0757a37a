// Where nothing reads the symbols of programs and libraries.

#include "site_names.hpp"

namespace isotick::harness {

std::vector<CodePlace> functions_at(const std::string&, std::uint64_t) {
    return {};
}

}  // namespace isotick::harness
