#include "field_search.hpp"
#include "missing_step.hpp"
#include "pattern_steps.hpp"

#include <isotick/core/detail/fields/field_selection.hpp>

#include <charconv>

namespace isotick::core {
namespace {

using Take = std::function<void(const SelectedField&)>;

const char* type_name(FieldToken token) {
    switch (token) {
        case FieldToken::object:
            return "object";
        case FieldToken::sequence:
            return "sequence";
        case FieldToken::map:
            return "map";
        case FieldToken::entities:
            return "entities";
        case FieldToken::array:
            return "array";
        case FieldToken::none:
            return "none";
        case FieldToken::reference:
            return "reference";
        case FieldToken::text:
            return "text";
        case FieldToken::bytes:
            return "bytes";
        case FieldToken::named:
            return "named number";
        case FieldToken::fixed:
            return "fixed-point number";
        default:
            return number_name(token);
    }
}

std::string plain_text(FieldCursor& cursor) {
    constexpr std::size_t kMoreThanShown = 100;
    cursor.take();
    return name_text(cursor.copy(cursor.run(), kMoreThanShown));
}

/// Follows a pattern into a state. A path is meant where the pattern begins with its text, so that
/// names and keys may hold any characters.
class Selector : public FieldSearch<Selector> {
  public:
    static constexpr bool kLooksAtKeys = false;

    Selector(std::span<const std::byte> fields, std::string_view pattern, const Take& take)
        : FieldSearch(fields), pattern_(pattern), take_(take) {}

    FieldSelection run() {
        walk();
        return {total_, total_ == 0 ? missing_.text(pattern_) : ""};
    }

    void arrive() {
        if (!is_meant()) {
            missing_.arrive(matched(), path());
        }
    }

    bool enter() {
        if (is_meant()) {
            matched_.push_back(matched());
            return true;
        }
        const std::size_t end = end_of_step();
        if (end == std::string_view::npos) {
            return false;
        }
        matched_.push_back(end);
        return true;
    }

    void leave() { matched_.pop_back(); }

    ElementRange elements(FieldToken container, std::uint64_t count) {
        missing_.elements(matched(), count);
        const bool has_keys = container == FieldToken::map || container == FieldToken::entities;
        if (is_meant() || has_keys || rest().starts_with("[*]")) {
            return {0, count};
        }
        std::uint64_t index = 0;
        const char* const end = pattern_.data() + pattern_.size();
        const bool is_index = rest().starts_with('[');
        const auto [read, error] = std::from_chars(rest().data() + (is_index ? 1 : 0), end, index);
        const bool is_number = is_index && error == std::errc() && read != end && *read == ']';
        return is_number && index < count ? ElementRange{index, index + 1} : ElementRange{};
    }

    bool number(FieldToken type, const std::byte* bytes) {
        if (is_meant()) {
            hand_out({path().text(), number_name(type), number_text(type, bytes),
                      is_float(type) ? bits_text(type, bytes) : ""});
        } else {
            missing_.arrive(matched(), path());  // elements of arrays are nowhere else announced
            missing_.value(matched(), number_text(type, bytes));
        }
        return false;
    }

    bool other(FieldToken token) {
        if (is_meant()) {
            hand_out({path().text(), type_name(token),
                      token == FieldToken::text ? plain_text(cursor()) : value_text(cursor()), ""});
        } else {
            missing_.value(matched(), value_text(cursor()));
        }
        return false;
    }

    bool empty(FieldToken container) {
        if (is_meant()) {
            const char* nothing = container == FieldToken::object ? "no members" : "0 elements";
            hand_out({path().text(), type_name(container), nothing, "", true});
        }
        return false;
    }

  private:
    // How much of the pattern is behind us; all of it: what comes is meant.
    [[nodiscard]] std::size_t matched() const { return matched_.back(); }
    [[nodiscard]] bool is_meant() const { return matched() == pattern_.size(); }
    [[nodiscard]] std::string_view rest() const { return pattern_.substr(matched()); }

    // Behind the step that path() ends with, where the pattern goes on with it; else npos.
    std::size_t end_of_step() {
        const bool is_element = path().ends_at_element();
        constexpr std::string_view kAny = "[*]";
        if (is_element && rest().starts_with(kAny)) {
            return matched() + kAny.size();
        }
        const std::string step = path().last();
        const bool dotted = !is_element && matched() != 0;
        const bool goes_on = dotted ? rest().starts_with('.') && rest().substr(1).starts_with(step)
                                    : rest().starts_with(step);
        const std::size_t end = matched() + (dotted ? 1 : 0) + step.size();
        if (goes_on && is_step_boundary(pattern_, end)) {
            return end;
        }
        missing_.other_step(matched(), step);
        return std::string_view::npos;
    }

    void hand_out(const SelectedField& field) {
        ++total_;
        take_(field);
    }

    std::string_view pattern_;
    const Take& take_;
    std::vector<std::size_t> matched_ = {0};
    std::uint64_t total_ = 0;
    MissingStep missing_;
};

}  // namespace

std::string value_of(const SelectedField& field) {
    const std::string value =
        field.type == type_name(FieldToken::text) ? "\"" + field.value + "\"" : field.value;
    return value + (field.bits.empty() ? "" : "  (" + field.bits + ")");
}

Result<FieldSelection> select_fields(std::span<const std::byte> fields, const FieldPattern& pattern,
                                     const Take& take) {
    try {
        return Selector(fields, pattern.text(), take).run();
    } catch (const FieldDamage& damage) {
        return failure(damage);
    }
}

}  // namespace isotick::core
