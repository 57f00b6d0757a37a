#pragma once
// The named values of a struct as a table: parameters of schedule items, options of loops, settings
// of links. A row gives the name of one of them and says how it is read, printed, limited and
// copied. Their order in a line of text, and what separates them, is up to that line's reader.

#include <isotick/core/detail/text.hpp>
#include <isotick/core/detail/text_cursor.hpp>
#include <isotick/core/result.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>

namespace isotick::core {

/// One value of an Owner. Some span several members: a delay and its spread.
template <class Owner>
struct Word {
    std::string_view name;
    /// Reads the value at the cursor, and changes nothing else.
    Result<void> (*read)(TextCursor&, Owner&);
    /// The value in the form that `read` takes; empty if there is none.
    std::string (*text)(const Owner&);
    void (*copy)(const Owner& from, Owner& to);
    /// Says what the value must be, if it is not that. Null: any value is allowed.
    Problem (*problem)(const Owner&) = nullptr;

    [[nodiscard]] Problem problem_of(const Owner& owner) const {
        return problem != nullptr ? problem(owner) : Problem();
    }

    /// Whether both have the same value.
    [[nodiscard]] bool is_equal(const Owner& left, const Owner& right) const {
        Owner changed = left;
        copy(right, changed);
        return changed == left;
    }
};

/// What is wrong with the values of `owner`: the first problem in the order of `words`.
template <class Words, class Owner>
[[nodiscard]] Problem first_problem(const Words& words, const Owner& owner) {
    for (const Word<Owner>& each : words) {
        if (auto problem = each.problem_of(owner)) {
            return problem;
        }
    }
    return std::nullopt;
}

// Rows for values that are a single member.

template <class Owner, class Value>
Owner owner_of(Value Owner::*);  // for its type alone

template <auto Member>
using WordOf = Word<decltype(owner_of(Member))>;

template <auto Member, class Owner>
void copy_member(const Owner& from, Owner& to) {
    to.*Member = from.*Member;
}

/// What a value may be. It is used as a template argument: a constant at namespace scope.
template <class Value>
struct Limits {
    Value least;
    Value most;
    const char* text;       ///< the same in words, behind `expected`
    const char* what = "";  ///< of a number: what errors call it
};

/// An empty optional is within any limits.
template <auto Member, const auto& limits, class Owner>
Problem limits_problem(const Owner& owner) {
    const auto fits = [](const auto& value) {
        return value >= limits.least && value <= limits.most;
    };
    const auto& member = owner.*Member;
    if constexpr (requires { member.has_value(); }) {
        return unless(!member || fits(*member), limits.text);
    } else {
        return unless(fits(member), limits.text);
    }
}

template <class Value>
std::string value_text(const Value& value) {
    if constexpr (std::is_integral_v<Value>) {
        return std::to_string(value);
    } else {
        return to_string(value);
    }
}

template <class Value>
std::string value_text(const std::optional<Value>& value) {
    return value ? value_text(*value) : "";
}

template <auto Member, class Owner>
std::string member_text(const Owner& owner) {
    return value_text(owner.*Member);
}

/// `200`
template <auto Member, const Limits<std::uint64_t>& limits>
[[nodiscard]] constexpr WordOf<Member> number_word(std::string_view name) {
    return {name,
            [](TextCursor& cursor, auto& owner) {
                return store(cursor.read_number(limits.what, limits.least, limits.most),
                             owner.*Member);
            },
            member_text<Member>, copy_member<Member>, limits_problem<Member, limits>};
}

/// `3ms`
template <auto Member, const Limits<FrameTime>& limits>
[[nodiscard]] constexpr WordOf<Member> duration_word(std::string_view name) {
    return {name,
            [](TextCursor& cursor, auto& owner) {
                return store(cursor.read_duration(), owner.*Member);
            },
            member_text<Member>, copy_member<Member>, limits_problem<Member, limits>};
}

/// `12.5%`, in per mille
template <auto Member, const Limits<std::uint32_t>& limits>
[[nodiscard]] constexpr WordOf<Member> share_word(std::string_view name) {
    return {name,
            [](TextCursor& cursor, auto& owner) {
                return store(cursor.read_share(limits.most / 10), owner.*Member);
            },
            [](const auto& owner) { return share_text(owner.*Member); }, copy_member<Member>,
            limits_problem<Member, limits>};
}

}  // namespace isotick::core
