#include "pattern_steps.hpp"

#include <isotick/core/detail/fields/field_selection.hpp>

#include <algorithm>

namespace isotick::core {
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

}  // namespace isotick::core
