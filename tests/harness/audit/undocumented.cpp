// Compiled without debug information in every build.

#include "undocumented.hpp"

#include <isotick/core/detail/memory_walk.hpp>

namespace isotick::harness::testing {
namespace {

struct Undocumented {
    int value = 0;
};

}  // namespace

const char* undocumented_type() {
    return core::detail::type_name<Undocumented>();
}

std::uint64_t undocumented_size() {
    return sizeof(Undocumented);
}

}  // namespace isotick::harness::testing
