// The axis `random`: a seed of the random numbers that the system hands out, and of the generators
// of the C library, as other users of the process may have left them.

#include "../axis.hpp"

#include <array>

namespace isotick::harness {
namespace {

void random_to_system(std::string_view value, preload::Settings& settings) {
    settings.chance = parse_count(value, UINT64_MAX).value_or(0);
}

constexpr std::array<std::string_view, 2> kRandomElsewhere{"1", "2"};

}  // namespace

extern const Axis kRandomAxis;
const Axis kRandomAxis{.name = "random",
                       .varies = "random numbers of the system and of the C library",
                       .check = check_seed,
                       .draw = draw_seed,
                       .by_default = true,
                       .by_chance = true,
                       .source = Source::chance,
                       .to_system = random_to_system,
                       .begins_on_the_way = true,
                       .elsewhere = kRandomElsewhere,
                       .stands_for = "random numbers of the system"};

}  // namespace isotick::harness
