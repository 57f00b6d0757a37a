#pragma once
// Groups in a schedule's text: what comes several times in a row is written once.

#include <string>
#include <vector>

namespace isotick::core {

/// The text of one item, or of a group of them.
struct RepeatedText {
    std::string text;
    bool may_repeat = true;  ///< false: it stands alone, even among equal ones
};

/// Puts groups such as `300x(9xnominal, -133ms)` in the place of what comes several times in a row,
/// and groups of groups. Groups are of 1 to 32 texts; what is shorter than four is left as it is.
void fold_repeats(std::vector<RepeatedText>& texts);

}  // namespace isotick::core
