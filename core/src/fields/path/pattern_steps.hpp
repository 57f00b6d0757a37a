#pragma once
// The steps of a path that somebody wrote: `units[17].velocity.y`.

#include <cstddef>
#include <string_view>

namespace isotick::core {

/// Where the step that begins at `begin` ends: a name after its dot, if it has one, before the next
/// dot or bracket; an element behind its `]`. npos where a bracket is not closed. Keys may hold
/// dots and brackets of their own, since those in quotes end at the quote.
[[nodiscard]] std::size_t step_end(std::string_view path, std::size_t begin);

/// Whether a step may begin, or the path end, at `at`.
[[nodiscard]] inline bool is_step_boundary(std::string_view path, std::size_t at) {
    return at == path.size() || path[at] == '.' || path[at] == '[';
}

}  // namespace isotick::core
