#pragma once
// The words of a command line, as a POSIX shell splits them.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace isotick::harness {

/// Knows blanks, both kinds of quotes and backslashes, expands nothing. None where a quote does not
/// end.
[[nodiscard]] std::optional<std::vector<std::string>> shell_words(std::string_view text);

}  // namespace isotick::harness
