#pragma once
// The rows of a capture that is a table: lines cut into fields, in bounded memory.

#include "../text/lines/line_reader.hpp"

#include <isotick/core/result.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace isotick::harness {

inline constexpr std::size_t kLongestRow = 64 * 1024;

/// A line cut into its fields. Those in quotes may hold the delimiter, and come without their
/// quotes; doubled quotes in them stay doubled. White space around a field is left out.
class Fields {
  public:
    /// Of `line`, which must outlive them.
    void cut(std::string_view line, char delimiter);

    [[nodiscard]] std::size_t size() const { return fields_.size(); }
    [[nodiscard]] std::string_view operator[](std::size_t index) const { return fields_[index]; }
    /// Counted from 1, in bytes.
    [[nodiscard]] std::size_t column(std::size_t index) const {
        return static_cast<std::size_t>(fields_[index].data() - line_.data()) + 1;
    }

  private:
    std::string_view line_;
    std::vector<std::string_view> fields_;
};

/// The names in a header, in lower case, and where they stand.
class Header {
  public:
    Header() = default;
    explicit Header(std::string_view line);

    /// Comma, or where there is none semicolon or tabulator, as spreadsheets write them.
    [[nodiscard]] char delimiter() const { return delimiter_; }
    /// In numbers: a comma where fields are not cut by it may be one.
    [[nodiscard]] char point(std::string_view number) const;

    [[nodiscard]] std::size_t size() const { return names_.size(); }
    [[nodiscard]] bool has(std::string_view name) const { return find(name).has_value(); }
    [[nodiscard]] std::optional<std::size_t> find(std::string_view name) const;
    /// As it is written there.
    [[nodiscard]] const std::string& spelling(std::size_t index) const { return names_[index]; }

  private:
    char delimiter_ = ',';
    std::vector<std::string> names_;
    std::vector<std::string> lower_;
};

/// `line 3, column 9: …`; `damaged` unless it says otherwise.
[[nodiscard]] tl::unexpected<core::Error> row_error(
    std::uint64_t line, std::size_t column, const std::string& problem,
    core::ErrorCode code = core::ErrorCode::damaged);

/// How reading rows ended.
struct RowsEnd {
    std::optional<std::string> last;  ///< why the last line was left out
};

/// Takes the row that is in the fields.
using TakeRow = std::function<core::Result<void>(const Fields&, std::uint64_t line)>;

/// Gives all rows to `take`. Errors end it, but for the last line one that is `damaged`: a game
/// that crashed cuts it, and some tools leave a warning there. `needed` is how many fields a row
/// must have; the header's is how many it may.
[[nodiscard]] core::Result<RowsEnd> read_rows(LineReader& lines, const Header& header,
                                              std::size_t needed, const TakeRow& take);

/// Whether `text` in lower case is `lower`.
[[nodiscard]] bool is_word(std::string_view text, std::string_view lower);

/// Text in lower case, as far as it is ASCII.
[[nodiscard]] std::string in_lower_case(std::string_view text);

/// A number of the field `index`, times 10^`decimals`; the error names line and column.
[[nodiscard]] core::Result<std::int64_t> number_in(const Fields& fields, std::size_t index,
                                                   const Header& header, int decimals,
                                                   std::uint64_t line);

/// Whether the field stands for a value that is not known.
[[nodiscard]] bool is_missing(std::string_view field);

}  // namespace isotick::harness
