#pragma once
// Text of somebody else's in Markdown, where it must not become markup.

#include <string>
#include <string_view>

namespace isotick::program {

/// One line of text, for a heading, a list or a table's cell.
[[nodiscard]] std::string markdown_text(std::string_view text);

/// Lines as they are, the last with its line feed, as code of `language`.
[[nodiscard]] std::string markdown_code(std::string_view language, std::string_view lines);

}  // namespace isotick::program
