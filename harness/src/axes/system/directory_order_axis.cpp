// The axis `directory-order`: a seed of the order in which the entries of folders are read.

#include "../axis.hpp"

#include <array>

namespace isotick::harness {
namespace {

void directory_order_to_system(std::string_view value, preload::Settings& settings) {
    settings.directory_order = parse_count(value, UINT64_MAX).value_or(0);
}

constexpr std::array<std::string_view, 2> kDirectoryOrderElsewhere{"1", "2"};

}  // namespace

extern const Axis kDirectoryOrderAxis;
const Axis kDirectoryOrderAxis{.name = "directory-order",
                               .varies = "the order in which the entries of folders are read",
                               .check = check_seed,
                               .draw = draw_seed,
                               .by_default = true,

                               .source = Source::directories,
                               .to_system = directory_order_to_system,
                               .begins_on_the_way = true,
                               .elsewhere = kDirectoryOrderElsewhere,
                               .stands_for = "the order of files in folders"};

}  // namespace isotick::harness
