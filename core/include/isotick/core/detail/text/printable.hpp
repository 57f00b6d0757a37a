#pragma once
// Text from elsewhere (a recording, a path, a simulation), made fit for a terminal or a log.

#include <string>
#include <string_view>

namespace isotick::core {

/// `text` as one line that can neither steer a terminal nor pass for another line. Control
/// characters (C0, DEL, C1), line separators and what changes the direction of writing become `\n`,
/// `\r`, `\t` or `\u001b`, which JSON takes too; bytes that are not UTF-8 become `\xff`. The rest
/// stays as it is, a backslash too: what was made printable once does not change again, and cannot
/// always be told from text that had the backslash itself.
[[nodiscard]] std::string printable(std::string_view text);

/// The same for text of several lines: line feeds and tabs stay.
[[nodiscard]] std::string printable_lines(std::string_view text);

}  // namespace isotick::core
