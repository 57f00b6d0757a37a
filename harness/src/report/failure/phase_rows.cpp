#include "phase_rows.hpp"

#include "../rows.hpp"

#include <isotick/core/detail/text/joined.hpp>

namespace isotick::harness {

std::string phase_rows(const std::optional<Phases>& phases, const std::vector<std::string>& parts) {
    if (!phases) {
        return "";
    }
    const bool is_narrower = !phases->parts.empty() && phases->parts != parts;
    return row("phase", to_string(*phases)) +
           (is_narrower ? row("", "there it differs in " + core::joined(phases->parts)) : "");
}

}  // namespace isotick::harness
