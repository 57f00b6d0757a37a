#pragma once
// `{src}` and `{out}` in what the user wrote: the folders of one revision. And what else it names.

#include <string>
#include <vector>

namespace isotick::harness::bisect {

/// As one word of sh, in quotes where it needs them.
[[nodiscard]] std::string word_for_shell(const std::string& path);

/// For sh: where the folder's path needs quotes it gets them.
[[nodiscard]] std::string expanded_command(const std::string& text, const std::string& folder);

/// The path of a plug-in as it is; `exec:` and a command for sh.
[[nodiscard]] std::string expanded_simulation(const std::string& text, const std::string& folder);

/// `text` with the placeholders for the paths of the folders again.
[[nodiscard]] std::string with_placeholders(std::string text, const std::string& folder);

/// Whether it runs out of the checkout.
[[nodiscard]] bool needs_sources(const std::string& simulation);

/// The files outside of checkouts that a command for sh names: by their full path, below `~` or
/// `$HOME`, or programs in PATH. Not those that these files name in turn, and no folders. Sorted.
[[nodiscard]] std::vector<std::string> files_named_in(const std::string& command);

}  // namespace isotick::harness::bisect
