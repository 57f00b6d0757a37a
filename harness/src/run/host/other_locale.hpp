#pragma once
// A host that has called setlocale.

#include <isotick/core/result.hpp>

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace isotick::harness {

/// A locale like C, but with a decimal comma.
inline constexpr std::string_view kCommaLocale = "comma";

/// As long as it lives, this process has another locale, and so have the processes that it starts
/// and that call setlocale.
class OtherLocale {
  public:
    /// `name`: kCommaLocale, of which only numbers are written otherwise, or one that this machine
    /// has. Fails with `usage` where it has none of that name.
    [[nodiscard]] static core::Result<std::unique_ptr<OtherLocale>> make(const std::string& name);
    ~OtherLocale();
    OtherLocale(const OtherLocale&) = delete;
    OtherLocale& operator=(const OtherLocale&) = delete;

    /// When all that need its file have read it: a simulation may end this process any time, and
    /// nobody would remove it then.
    void remove_file() const;

  private:
    OtherLocale() = default;
    [[nodiscard]] core::Result<void> make_comma_locale();
    void set_variable(const std::string& name, const std::optional<std::string>& value);

    std::string former_;  // as setlocale calls it
    std::vector<std::pair<std::string, std::optional<std::string>>> variables_;  // former ones
    std::string folder_;
};

/// Whether there is such a locale here.
[[nodiscard]] bool is_locale(std::string_view name);

}  // namespace isotick::harness
