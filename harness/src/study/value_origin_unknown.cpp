// Where nothing decodes instructions.

#include "value_origin.hpp"

namespace isotick::harness {

std::optional<ValueOrigin> find_origin(const TracedWrite&, const TracedWrite&) {
    return std::nullopt;
}

}  // namespace isotick::harness
