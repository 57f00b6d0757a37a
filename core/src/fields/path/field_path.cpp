#include "field_path.hpp"

namespace isotick::core {
namespace {

// What `read` makes of the bytes at `at`; the cursor then is where it was.
template <class Read>
std::string read_at(FieldCursor& cursor, std::uint64_t at, const Read& read) {
    const std::uint64_t here = cursor.offset();
    cursor.seek(at);
    std::string text = read();
    cursor.seek(here);
    return text;
}

}  // namespace

std::string FieldPath::step_text(const Step& step) {
    constexpr std::size_t kMost = 60;
    const auto name = [&] { return name_text(step.cursor->name()); };
    const auto key = [&] { return value_text(*step.cursor); };
    const auto key_name = [&] { return name_text(step.cursor->copy(step.cursor->run(), kMost)); };
    switch (step.kind) {
        case 'n':
            return read_at(*step.cursor, step.at, name);
        case 'k':
            return "[" + read_at(*step.cursor, step.at, key) + "]";
        case 'e':
            return "[" + read_at(*step.cursor, step.name_at, key_name) + "=" +
                   read_at(*step.cursor, step.at, key) + "]";
        case 'p':
            return std::to_string(step.at);
        default:
            return "[" + std::to_string(step.at) + "]";
    }
}

std::string FieldPath::text() const {
    return joined(false);
}

std::string FieldPath::kind() const {
    return joined(true);
}

std::string FieldPath::joined(bool as_kind) const {
    constexpr std::size_t kLongest = 400;
    std::string path;
    for (const Step& step : steps_) {
        const bool dotted = step.kind == 'n' || step.kind == 'p';
        path += dotted && !path.empty() ? "." : "";
        path += as_kind && !dotted ? "[*]" : step_text(step);
        if (path.size() > kLongest) {
            return path.substr(0, kLongest) + "…";
        }
    }
    return path;
}

std::string FieldPath::part() const {
    return !steps_.empty() && steps_.front().kind == 'n' ? step_text(steps_.front()) : "state";
}

}  // namespace isotick::core
