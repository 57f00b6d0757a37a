#include "field_names.hpp"

#include <isotick/core/detail/fields/field_selection.hpp>
#include <isotick/core/detail/try.hpp>

namespace isotick::harness::bisect {
namespace {

using core::Result;

/// Says of each letter of a path whether it stands in brackets, where keys may hold anything.
class Brackets {
  public:
    bool hold(char letter) {
        if (quoted_) {
            quoted_ = letter != '"' || escaped_;
            escaped_ = letter == '\\' && !escaped_;
            return true;
        }
        quoted_ = inside_ && letter == '"';
        const bool was_inside = inside_;
        inside_ = letter == '[' || (inside_ && letter != ']');
        return was_inside || inside_;
    }

    [[nodiscard]] bool inside() const { return inside_; }

  private:
    bool inside_ = false;
    bool quoted_ = false;
    bool escaped_ = false;
};

std::string trimmed(std::string_view text) {
    const auto first = text.find_first_not_of(' ');
    const auto last = text.find_last_not_of(' ');
    return first == std::string_view::npos ? "" : std::string(text.substr(first, last - first + 1));
}

std::string kind_of(std::string_view path) {
    std::string kind;
    Brackets brackets;
    for (const char letter : path) {
        const bool was_inside = brackets.inside();
        if (!brackets.hold(letter)) {
            kind += letter;
        } else if (!was_inside) {
            kind += "[*]";
        }
    }
    return kind;
}

}  // namespace

std::vector<std::string> split_at_commas(std::string_view list) {
    std::vector<std::string> pieces;
    std::string piece;
    Brackets brackets;
    for (const char letter : list) {
        if (!brackets.hold(letter) && letter == ',') {
            pieces.push_back(trimmed(piece));
            piece.clear();
        } else {
            piece += letter;
        }
    }
    pieces.push_back(trimmed(piece));
    return pieces;
}

Result<std::vector<std::string>> parse_field_names(std::string_view list) {
    std::vector<std::string> kinds;
    for (const std::string& piece : split_at_commas(list)) {
        if (piece.empty()) {
            return core::fail(core::ErrorCode::usage, "a field's name is missing");
        }
        ISOTICK_TRY(core::FieldPattern::parse(piece));
        kinds.push_back(kind_of(piece));
    }
    return kinds;
}

bool lies_in(std::string_view kind, std::string_view name) {
    return kind.starts_with(name) &&
           (kind.size() == name.size() || kind[name.size()] == '.' || kind[name.size()] == '[');
}

}  // namespace isotick::harness::bisect
