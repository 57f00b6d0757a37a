#pragma once
// How this program is called.

#include <string>

namespace isotick::program {

struct ProgramName {
    std::string typed;  ///< as it was called: what calls it again
    std::string shown;  ///< without its folder
};

// The program of this name is found wherever it is installed; others are called as they were.
inline ProgramName name_of(const std::string& typed) {
    const std::string shown = typed.substr(typed.rfind('/') + 1);
    return {shown == "isotick" ? shown : typed, shown};
}

}  // namespace isotick::program
