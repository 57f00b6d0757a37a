#pragma once
// Decimal numbers, lists and foreign text, exact and printable.

#include <isotick/core/detail/text_cursor.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace isotick::core {

// Decimal text to whole numbers: exactly, by integer arithmetic alone.

/// The digits of a number without sign and exponent, as long as the text they are taken from.
struct DecimalDigits {
    std::string_view whole;     ///< those before the point; may be none
    std::string_view fraction;  ///< those behind it, likewise
    bool has_point = false;

    /// Takes them from the front of `text`. `point` is the decimal point.
    [[nodiscard]] static DecimalDigits take(std::string_view& text, char point = '.');

    [[nodiscard]] std::size_t size() const { return whole.size() + fraction.size(); }

    /// The number times 10^`places`, rounded down; none where it does not fit into 64 bits.
    [[nodiscard]] std::optional<std::uint64_t> scaled(std::int64_t places) const;

    /// The digit that `scaled(places)` is the first to leave out: from 5 on, it rounds up.
    [[nodiscard]] unsigned digit_after(std::int64_t places) const;

    /// Where in `fraction` the first digit stands that is finer than `places` and not zero; npos:
    /// nowhere.
    [[nodiscard]] std::size_t find_finer_than(std::size_t places) const;
};

enum class DecimalProblem : std::uint8_t { none, not_a_number, negative, too_large };

struct Decimal {
    std::int64_t value = 0;
    DecimalProblem problem = DecimalProblem::none;
};

/// `text` (`16.667`, `1.5E-05`) times 10^`places`, rounded to the nearest, halves up. Exponents go
/// from -400 to 400, and too large is what exceeds 10^18.
[[nodiscard]] Decimal scaled_decimal(std::string_view text, int places, char point = '.');

// Lists of names in sentences.

/// `a, b, c`, or with something else than a comma between them. `name`: of a word, its text.
template <class Words = std::vector<std::string>, class Name = std::identity>
[[nodiscard]] std::string joined(const Words& words, std::string_view between = ", ",
                                 Name name = {}) {
    std::string text;
    for (const auto& word : words) {
        text += text.empty() ? std::string_view() : between;
        text += std::invoke(name, word);
    }
    return text;
}

// Text from elsewhere (a recording, a path, a simulation), made fit for a terminal or a log.

/// `text` as one line that can neither steer a terminal nor pass for another line. Control
/// characters (C0, DEL, C1), line separators and what changes the direction of writing become `\n`,
/// `\r`, `\t` or `\u001b`, which JSON takes too; bytes that are not UTF-8 become `\xff`. The rest
/// stays as it is, a backslash too: what was made printable once does not change again, and cannot
/// always be told from text that had the backslash itself.
[[nodiscard]] std::string printable(std::string_view text);

/// The same for text of several lines: line feeds and tabs stay.
[[nodiscard]] std::string printable_lines(std::string_view text);

// Values as TextCursor reads them.

/// `12.5%`.
[[nodiscard]] std::string share_text(std::uint32_t per_mille);

/// `16.667ms`: exactly, in the first of `units` that it reaches. `value`, in the smallest, must not
/// be zero.
[[nodiscard]] std::string quantity_text(std::uint64_t value, std::span<const Unit> units);

/// `"my run.csv"`, a path that TextCursor::read_path reads.
[[nodiscard]] std::string quoted(std::string_view path);

}  // namespace isotick::core
