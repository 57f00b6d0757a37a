#pragma once
// Another working folder and another locale, for the axes that need one.

#include "../system/posix.hpp"

#include <isotick/core/result.hpp>

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace isotick::harness {

// Calls from another working directory.

/// The working directory of a simulation, where it is not the host's: the host's own files, whose
/// paths may be relative, stay where they are. Where the simulation changes it, it stays changed
/// for the calls to come.
class OtherFolder {
  public:
    [[nodiscard]] static core::Result<std::unique_ptr<OtherFolder>> make(const std::string& path);

    void enter() const;
    void leave();

  private:
    OtherFolder(FileDescriptor host, FileDescriptor simulation)
        : host_(std::move(host)), simulation_(std::move(simulation)) {}

    FileDescriptor host_;
    FileDescriptor simulation_;
};

/// In that folder as long as it lives; null: anywhere.
class InOtherFolder {
  public:
    explicit InOtherFolder(OtherFolder* folder) : folder_(folder) {
        if (folder_ != nullptr) {
            folder_->enter();
        }
    }
    ~InOtherFolder() {
        if (folder_ != nullptr) {
            folder_->leave();
        }
    }
    InOtherFolder(const InOtherFolder&) = delete;
    InOtherFolder& operator=(const InOtherFolder&) = delete;

  private:
    OtherFolder* folder_;
};

// A host that has called setlocale.

/// A locale like C, but with a decimal comma.
inline constexpr std::string_view kCommaLocale = "comma";
/// Its placebo: the same variables name it, and it is loaded as well, but it writes a point.
inline constexpr std::string_view kPointLocale = "point";

/// Why there is no such locale here; empty: there is. One of our own is made for that.
[[nodiscard]] std::string why_no_locale(std::string_view name);

/// The folder that our own locales are made in, by this process or by its workers: it goes with
/// this process.
[[nodiscard]] std::string own_locales();
/// In a worker: those of its parent.
void use_locales_in(const std::string& folder);

/// As long as it lives, this process has another locale, and so have the processes that it starts
/// and that call setlocale.
class OtherLocale {
  public:
    /// `name`: kCommaLocale or kPointLocale, which have nothing but numbers of their own, or one
    /// that this machine has. Fails with `usage` where there is none of that name.
    [[nodiscard]] static core::Result<std::unique_ptr<OtherLocale>> make(const std::string& name);
    ~OtherLocale();
    OtherLocale(const OtherLocale&) = delete;
    OtherLocale& operator=(const OtherLocale&) = delete;

  private:
    OtherLocale() = default;
    void choose_our_own(const std::string& name);
    void set_variable(const std::string& name, const std::optional<std::string>& value);

    std::string former_;  // as setlocale calls it
    std::vector<std::pair<std::string, std::optional<std::string>>> variables_;  // former ones
};

}  // namespace isotick::harness
