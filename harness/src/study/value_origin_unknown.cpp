// Where nothing decodes instructions.

#include "value_origin.hpp"

namespace isotick::harness {

std::optional<ValueOrigin> find_origin(const TracedWrite&, const TracedWrite&) {
    return std::nullopt;
}

std::optional<LastWrites> first_written(const InstructionTrace&, const InstructionTrace&,
                                        std::span<const ValuePlaces>) {
    return std::nullopt;
}

}  // namespace isotick::harness
