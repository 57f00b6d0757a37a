#include "session_end.hpp"

#include <isotick/replay/detail/survey.hpp>

namespace isotick::harness {

core::Result<void> look_at_end(const std::string& path, replay::Reader& reader,
                               VerifyReport& report) {
    if (reader.has_tail()) {
        const auto count = reader.chunk_count();
        if (count && *count > 0) {
            if (const auto last = reader.chunk(*count - 1)) {
                report.session_digest = (*last)->session_digest();
                return {};
            }
        }
    }
    return replay::survey(path).map([&report](const replay::Survey& survey) {
        report.session_digest = survey.session_digest;
        report.unfinished = survey.is_unfinished();
    });
}

}  // namespace isotick::harness
