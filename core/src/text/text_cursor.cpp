#include <isotick/core/detail/captured_frames.hpp>
#include <isotick/core/detail/text.hpp>
#include <isotick/core/detail/text_cursor.hpp>
#include <isotick/core/detail/try.hpp>

#include <algorithm>
#include <charconv>

namespace isotick::core {
namespace {

constexpr std::string_view kSpaces = " \t\r\n";
constexpr std::size_t kMostQuoted = 20;

bool is_digit(char character) {
    return character >= '0' && character <= '9';
}

bool is_letter(char character) {
    return (character >= 'a' && character <= 'z') || (character >= 'A' && character <= 'Z');
}

}  // namespace

std::size_t TextCursor::position() {
    at_ = std::min(text_.find_first_not_of(kSpaces, at_), text_.size());
    return at_;
}

char TextCursor::peek() {
    return position() < text_.size() ? text_[at_] : '\0';
}

bool TextCursor::take(char character) {
    if (at_end() || peek() != character) {
        return false;
    }
    ++at_;
    return true;
}

Result<void> TextCursor::expect(char character) {
    if (!take(character)) {
        return expected(std::string("'") + character + "'");
    }
    return {};
}

std::string_view TextCursor::read_word() {
    const std::size_t start = position();
    while (at_ < text_.size() && is_letter(text_[at_])) {
        ++at_;
    }
    return text_.substr(start, at_ - start);
}

std::string_view TextCursor::read_digits() {
    const std::size_t start = at_;
    while (at_ < text_.size() && is_digit(text_[at_])) {
        ++at_;
    }
    return text_.substr(start, at_ - start);
}

Result<std::uint64_t> TextCursor::read_number(const char* what, std::uint64_t least,
                                              std::uint64_t most) {
    const std::size_t start = position();
    const std::string_view digits = read_digits();
    if (digits.empty()) {
        return expected(what);
    }
    std::uint64_t value = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    if (error != std::errc() || value < least || value > most) {
        return error_at(start, std::string("expected ") + what + " from " + std::to_string(least) +
                                   " to " + std::to_string(most));
    }
    return value;
}

Result<std::optional<std::uint64_t>> TextCursor::read_quantity(const QuantityWords& words) {
    std::string_view rest = text_.substr(at_);
    const DecimalDigits number = DecimalDigits::take(rest);
    if (number.whole.empty()) {
        return expected(words.example);
    }
    at_ = text_.size() - rest.size();
    if (number.has_point && number.fraction.empty()) {
        return expected("a digit after the decimal point");
    }
    const std::size_t unit_start = at_;
    const std::string_view name = read_word();
    const auto unit = std::ranges::find(words.units, name, &Unit::name);
    if (unit == words.units.end()) {
        at_ = unit_start;
        return expected(words.forms);
    }
    const std::size_t finer = number.find_finer_than(unit->decimals);
    if (finer != std::string_view::npos) {
        return error_at(unit_start - number.fraction.size() + finer,
                        std::string("expected ") + words.smallest + ", nothing finer");
    }
    return number.scaled(static_cast<std::int64_t>(unit->decimals));
}

Result<FrameTime> TextCursor::read_duration() {
    constexpr QuantityWords kWords{kTimeUnits, "a duration such as 16.667ms",
                                   "a unit (ns, us, ms or s; hz for a rate)", "whole nanoseconds"};
    const std::size_t start = position();
    const bool is_negative = take('-');
    ISOTICK_TRY_ASSIGN(const auto magnitude, read_quantity(kWords));
    if (!magnitude || *magnitude > (std::uint64_t{1} << 63U) - (is_negative ? 0 : 1)) {
        return error_at(start, "expected a duration of at most 9223372036.854775807s");
    }
    return FrameTime{static_cast<std::int64_t>(is_negative ? 0 - *magnitude : *magnitude)};
}

Result<TickRate> TextCursor::read_rate() {
    const std::size_t start = position();
    constexpr const char* kWhat = "a rate such as 60hz or 60000/1001hz, its terms";
    ISOTICK_TRY_ASSIGN(const auto numerator, read_number(kWhat, 1, TickRate::kLargestTerm));
    std::uint64_t denominator = 1;
    if (take('/')) {
        ISOTICK_TRY_ASSIGN(denominator, read_number(kWhat, 1, TickRate::kLargestTerm));
    }
    const std::size_t unit = position();
    if (read_word() != "hz") {
        at_ = unit;
        return expected("the unit hz");
    }
    const auto rate = TickRate::make(numerator, denominator);
    if (!rate) {
        return error_at(start, rate.error().message);
    }
    return *rate;
}

Result<std::uint32_t> TextCursor::read_share(std::uint32_t most_percent) {
    const std::size_t start = position();
    ISOTICK_TRY_ASSIGN(const auto percent,
                       read_number("a share such as 10% or 12.5%", 0, most_percent));
    auto per_mille = static_cast<std::uint32_t>(percent * 10);
    if (take('.')) {
        const std::size_t digits_start = at_;
        const std::string_view digits = read_digits();
        if (digits.empty()) {
            return expected("a digit after the decimal point");
        }
        const std::size_t finer = DecimalDigits{.whole = {}, .fraction = digits}.find_finer_than(1);
        if (finer != std::string_view::npos) {
            return error_at(digits_start + finer, "expected at most tenths of a percent");
        }
        per_mille += static_cast<std::uint32_t>(digits[0] - '0');
    }
    if (!take('%')) {
        return expected("'%'");
    }
    if (per_mille > most_percent * 10) {
        return error_at(start, "expected at most " + std::to_string(most_percent) + "%");
    }
    return per_mille;
}

Result<std::string> TextCursor::read_path() {
    const std::size_t start = position();
    if (!take('"')) {
        return expected("the path of a file in quotes, such as \"my run.csv\"");
    }
    std::string path;
    while (at_ < text_.size() && text_[at_] != '"') {
        const bool is_escape = text_[at_] == '\\' && at_ + 1 < text_.size() &&
                               (text_[at_ + 1] == '"' || text_[at_ + 1] == '\\');
        at_ += is_escape ? 1 : 0;
        if (static_cast<unsigned char>(text_[at_]) < ' ') {
            return error_at(at_, "expected a path without control characters");
        }
        path += text_[at_++];
    }
    if (at_ == text_.size()) {
        return error_at(start, "expected a path that ends with a quote");
    }
    ++at_;
    if (path.empty() || path.size() > kMostPathBytes) {
        return error_at(start, "expected a path of 1 to 4096 bytes");
    }
    return path;
}

Result<std::string> TextCursor::read_bare_path() {
    const std::size_t start = position();
    const std::size_t end = std::min(text_.find_first_of(" \t\r\n\"()", at_), text_.size());
    at_ = end;
    const std::string_view path = text_.substr(start, end - start);
    const bool is_printable = std::ranges::all_of(
        path, [](char each) { return static_cast<unsigned char>(each) >= ' '; });
    if (path.empty() || path.size() > kMostPathBytes || !is_printable) {
        return error_at(start, "expected the path of a file, of 1 to 4096 bytes");
    }
    return std::string(path);
}

tl::unexpected<Error> TextCursor::error_at(std::size_t position, const std::string& problem) {
    return fail(ErrorCode::usage, "at column " + std::to_string(position + 1) + ": " + problem);
}

Result<void> TextCursor::refuse(const Problem& problem, std::size_t position) {
    return problem ? Result<void>(error_at(position, "expected " + *problem)) : Result<void>();
}

tl::unexpected<Error> TextCursor::expected(const std::string& what) {
    if (at_end()) {
        return error_at(at_, "expected " + what + ", not the end");
    }
    const std::size_t start = at_;
    std::size_t end = start + 1;
    while (end < text_.size() && end - start < kMostQuoted && is_letter(text_[start]) &&
           is_letter(text_[end])) {
        ++end;
    }
    const std::string next(text_.substr(start, end - start));
    return error_at(start, "expected " + what + ", not '" + next + "'");
}

}  // namespace isotick::core
