#include "field_path.hpp"

#include <isotick/core/detail/field_selection.hpp>
#include <isotick/core/detail/text.hpp>

#include <algorithm>
#include <utility>

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

namespace {

tl::unexpected<Error> refuse(std::string_view path, std::size_t at, const std::string& why) {
    return fail(ErrorCode::usage, "'" + std::string(path) + "' is not a path: column " +
                                      std::to_string(at + 1) + ": " + why);
}

// Behind the first `ending` that may end a step; npos where there is none.
std::size_t behind(std::string_view path, std::size_t begin, std::string_view ending) {
    for (std::size_t at = path.find(ending, begin); at != std::string_view::npos;
         at = path.find(ending, at + 1)) {
        if (is_step_boundary(path, at + ending.size())) {
            return at + ending.size();
        }
    }
    return std::string_view::npos;
}

// A key in quotes, `["a"]` or `[name="a"]`; reports cut long ones, `["a"…]`.
std::size_t quoted_end(std::string_view path, std::size_t quote) {
    return std::min(behind(path, quote + 1, "\"]"), behind(path, quote + 1, "\"…]"));
}

}  // namespace

std::size_t step_end(std::string_view path, std::size_t begin) {
    if (path[begin] != '[') {
        const std::size_t end = path.find_first_of(".[", begin + (path[begin] == '.' ? 1 : 0));
        return std::min(end, path.size());
    }
    const std::size_t quote = path.find('"', begin);
    const bool is_quoted = quote != std::string_view::npos && quote < path.find(']', begin) &&
                           (quote == begin + 1 || path[quote - 1] == '=');
    return is_quoted ? quoted_end(path, quote) : behind(path, begin, "]");
}

Result<FieldPattern> FieldPattern::parse(std::string_view text) {
    for (std::size_t at = 0; at < text.size();) {
        if (text[at] == '.' && at == 0) {
            return refuse(text, at, "a path begins with a name or a [");
        }
        const std::size_t end = step_end(text, at);
        if (end == std::string_view::npos) {
            const bool is_closed = text.find(']', at) != std::string_view::npos;
            return refuse(text, at,
                          is_closed ? "after the ] of this [ expected . or [" : "this [ has no ]");
        }
        if (text.substr(at, end - at) == ".") {
            return refuse(text, at, "expected a name after this .");
        }
        if (text.substr(at, end - at) == "[]") {
            return refuse(text, at, "an index or key is missing; [*] means any");
        }
        at = end;
    }
    return FieldPattern(text);
}

namespace {

constexpr std::size_t kMostListed = 8;

}  // namespace

void MissingStep::arrive(std::size_t matched, const FieldPath& path) {
    const bool has_contents = steps_total_ != 0 || elements_.value_or(0) != 0;
    open_ = matched > matched_ || (matched == matched_ && !has_contents);
    if (open_) {
        *this = {};
        matched_ = matched;
        open_ = true;
        place_ = path.text();
    }
}

void MissingStep::elements(std::size_t matched, std::uint64_t count) {
    if (is_here(matched)) {
        elements_ = count;
    }
}

void MissingStep::other_step(std::size_t matched, const std::string& step) {
    if (is_here(matched)) {
        ++steps_total_;
        if (steps_.size() < kMostListed) {
            steps_.push_back(step);
        }
    }
}

void MissingStep::value(std::size_t matched, std::string text) {
    if (is_here(matched)) {
        value_ = std::move(text);
    }
}

std::string MissingStep::contents() const {
    if (!value_.empty()) {
        return "is " + value_;
    }
    if (steps_total_ == 0) {
        const std::uint64_t count = elements_.value_or(0);
        return count == 0
                   ? std::string("has nothing in it")
                   : "has " + std::to_string(count) + (count == 1 ? " element" : " elements") +
                         ", from [0] to [" + std::to_string(count - 1) + "]";
    }
    const std::uint64_t rest = steps_total_ - steps_.size();
    return "has " + core::joined(steps_) +
           (rest == 0 ? "" : " and " + std::to_string(rest) + " more");
}

std::string MissingStep::text(std::string_view pattern) const {
    const std::size_t end = std::min(step_end(pattern, matched_), pattern.size());
    const std::size_t begin = matched_ + (pattern[matched_] == '.' ? 1 : 0);
    std::string step(pattern.substr(begin, end - begin));
    if (!step.starts_with('[')) {
        step.insert(0, 1, '\'').push_back('\'');
    }
    return "there is no " + step + " in " + (place_.empty() ? "the state" : place_) + ", which " +
           contents();
}

}  // namespace isotick::core
