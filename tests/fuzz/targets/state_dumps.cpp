// State dumps as `isotick diff a.state b.state` reads them.

#include "../support/memory_file.hpp"

#include <isotick/harness/detail/field_report.hpp>

#include <algorithm>

namespace isotick::fuzz {

void run(Input input) {
    static MemoryFile a;
    static MemoryFile b;
    const std::size_t size = take_short(input);
    const Input first = input.first(std::min(size, input.size()));
    a.fill(first);
    b.fill(input.subspan(first.size()));
    constexpr std::size_t kMost = 20;
    const auto compared = harness::compare_state_dumps(a.path(), b.path(), kMost);
    require(!compared || (harness::is_state_dump(a.path()) && harness::is_state_dump(b.path())),
            "state dumps are recognized");
    const auto back = harness::compare_state_dumps(b.path(), a.path(), kMost);
    require(back.has_value() == compared.has_value(), "it does not matter which comes first");
    require(compared || !compared.error().file.empty(), "an error names the file at fault");
    const auto self = harness::compare_state_dumps(a.path(), a.path(), kMost);
    require(!self || self->differences.total == 0, "a state does not differ from itself");
    require(self || !compared, "what compares with others compares with itself");
}

}  // namespace isotick::fuzz
