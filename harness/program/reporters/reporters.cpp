#include "reporter.hpp"

#include <array>

namespace isotick::program {

extern const Reporter kJsonReporter;
extern const Reporter kMarkdownReporter;
extern const Reporter kTextReporter;

std::span<const Reporter* const> reporters() {
    static constexpr std::array kReporters{&kTextReporter, &kJsonReporter, &kMarkdownReporter};
    return kReporters;
}

const Reporter& reporter_of(const CommonOptions& options) {
    return options.json ? kJsonReporter : kTextReporter;
}

}  // namespace isotick::program
