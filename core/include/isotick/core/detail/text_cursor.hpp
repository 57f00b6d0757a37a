#pragma once
// Reading a line of text (a schedule, a network) from left to right, with the column of whatever is
// wrong.

#include <isotick/core/result.hpp>
#include <isotick/core/time.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace isotick::core {

/// What quantities of a kind are written in.
struct Unit {
    std::string_view name;
    std::uint64_t size;    ///< in the smallest unit: 10^decimals
    std::size_t decimals;  ///< digits after the point, down to whole smallest units
};

/// Of durations, the longest first.
inline constexpr std::array kTimeUnits{Unit{"s", 1'000'000'000, 9}, Unit{"ms", 1'000'000, 6},
                                       Unit{"us", 1'000, 3}, Unit{"ns", 1, 0}};

/// A kind of quantities, and what errors call it.
struct QuantityWords {
    std::span<const Unit> units;
    const char* example;   ///< `a duration such as 16.667ms`
    const char* forms;     ///< of its units: `a unit (ns, us, ms or s)`
    const char* smallest;  ///< `whole nanoseconds`
};

/// What is wrong, as the rest of a sentence such as `expected …`; none: nothing.
using Problem = std::optional<std::string>;

/// A place in a text, which must outlive it. Every `read_` but read_digits and read_quantity skips
/// white space first, and on failure returns what was expected and the column of it.
class TextCursor {
  public:
    explicit TextCursor(std::string_view text) : text_(text) {}

    /// The next character that is not white space, NUL at the end.
    [[nodiscard]] char peek();
    [[nodiscard]] bool at_end() { return peek() == '\0' && at_ == text_.size(); }
    /// Bytes before the cursor, white space skipped.
    [[nodiscard]] std::size_t position();
    void go_back_to(std::size_t position) { at_ = position; }

    /// Steps over `character` if it comes next.
    bool take(char character);
    /// Likewise, or fails.
    [[nodiscard]] Result<void> expect(char character);

    /// The letters that come next; may be none.
    [[nodiscard]] std::string_view read_word();
    /// The digits at the very cursor; may be none.
    [[nodiscard]] std::string_view read_digits();

    /// A whole number without a sign, from `least` to `most`; `what` names it in the error.
    [[nodiscard]] Result<std::uint64_t> read_number(
        const char* what, std::uint64_t least = 0,
        std::uint64_t most = std::numeric_limits<std::uint64_t>::max());

    /// At the very cursor, a number without a sign and its unit, in the smallest unit: exact. None:
    /// beyond 64 bits.
    [[nodiscard]] Result<std::optional<std::uint64_t>> read_quantity(const QuantityWords& words);

    /// `-1.5ms`: exact, any int64 of nanoseconds.
    [[nodiscard]] Result<FrameTime> read_duration();

    /// `60hz`, `60000/1001hz`.
    [[nodiscard]] Result<TickRate> read_rate();

    /// `10%`, `12.5%`, in per mille.
    [[nodiscard]] Result<std::uint32_t> read_share(std::uint32_t most_percent = 100);

    /// `"my run.csv"`, without its quotes; `\"` and `\\` stand for a quote and a backslash. Takes
    /// at most kMostPathBytes, and no control characters.
    [[nodiscard]] Result<std::string> read_path();

    /// A path without quotes, up to white space, a quote or a parenthesis. The same limits.
    [[nodiscard]] Result<std::string> read_bare_path();

    /// The error `at column <position + 1>: <problem>`.
    [[nodiscard]] static tl::unexpected<Error> error_at(std::size_t position,
                                                        const std::string& problem);
    /// The error that `problem` was expected at `position`; none: success.
    [[nodiscard]] static Result<void> refuse(const Problem& problem, std::size_t position);
    /// `expected <what>, not <what comes next>` at the cursor.
    [[nodiscard]] tl::unexpected<Error> expected(const std::string& what);

  private:
    std::string_view text_;
    std::size_t at_ = 0;
};

/// The problem `text` unless `is_good`.
[[nodiscard]] inline Problem unless(bool is_good, const char* text) {
    return is_good ? Problem() : Problem(text);
}

/// Stores what `read` holds in `member`, or passes its error on.
template <class Value, class Member>
Result<void> store(const Result<Value>& read, Member& member) {
    if (!read) {
        return tl::unexpected(read.error());
    }
    member = static_cast<Member>(*read);
    return {};
}

}  // namespace isotick::core
