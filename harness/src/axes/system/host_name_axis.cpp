// The axis `host-name`: the number in the names of the machine and of the user.

#include "../axis.hpp"

#include <array>

namespace isotick::harness {
namespace {

void host_name_to_system(std::string_view value, preload::Settings& settings) {
    settings.names = parse_count(value, UINT64_MAX).value_or(0);
}

constexpr std::array<std::string_view, 1> kHostNameElsewhere{"1"};

}  // namespace

extern const Axis kHostNameAxis;
const Axis kHostNameAxis{.name = "host-name",
                         .varies = "the names of the machine and of the user",
                         .check = check_seed,
                         .draw = draw_seed,
                         .by_default = true,

                         .source = Source::names,
                         .to_system = host_name_to_system,
                         .begins_on_the_way = true,
                         .elsewhere = kHostNameElsewhere,
                         .stands_for = "the names of machine and user"};

}  // namespace isotick::harness
