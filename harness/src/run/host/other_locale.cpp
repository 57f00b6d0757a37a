#include "other_locale.hpp"

#include "../../platform/posix.hpp"

#include <isotick/core/detail/bytes.hpp>
#include <isotick/core/detail/try.hpp>

#include <array>
#include <bit>
#include <clocale>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <ranges>
#include <span>
#include <system_error>

namespace isotick::harness {
namespace {

using core::Bytes;
using core::ErrorCode;
using core::Result;

constexpr const char* kName = "isotick";

// The locale's file of numbers, which glibc maps (locale/loadlocale.c): a magic number of the
// category, how many items there are, where each begins, then the items: the decimal point, what
// separates thousands and how they are grouped, both as wide characters, the character set.
Bytes comma_numbers() {
    constexpr std::uint32_t kMagicOfNumbers = 0x20031114;
    constexpr std::string_view kItems{",\0\0\0,\0\0\0\0\0\0\0UTF-8\0", 18};
    constexpr std::array<std::uint32_t, 6> kBegins{0, 2, 3, 4, 8, 12};
    Bytes file;
    core::put(file, kMagicOfNumbers);
    core::put(file, static_cast<std::uint32_t>(kBegins.size()));
    for (const std::uint32_t begin : kBegins) {
        core::put(file, static_cast<std::uint32_t>(2 + kBegins.size()) * 4 + begin);
    }
    core::put_bytes(file, std::as_bytes(std::span(kItems)));
    return file;
}

std::optional<std::string> variable(const char* name) {
    const char* value = std::getenv(name);
    return value == nullptr ? std::nullopt : std::optional<std::string>(value);
}

void put_variable(const std::string& name, const std::optional<std::string>& value) {
    if (value) {
        setenv(name.c_str(), value->c_str(), 1);
    } else {
        unsetenv(name.c_str());
    }
}

}  // namespace

bool is_locale(std::string_view name) {
#if defined(__GLIBC__)
    if (name == kCommaLocale) {
        return std::endian::native == std::endian::little;
    }
#endif
    const locale_t locale = newlocale(LC_ALL_MASK, std::string(name).c_str(), nullptr);
    if (locale == nullptr) {
        return false;
    }
    freelocale(locale);
    return true;
}

Result<std::unique_ptr<OtherLocale>> OtherLocale::make(const std::string& name) {
    std::unique_ptr<OtherLocale> made(new OtherLocale);
    made->former_ = std::setlocale(LC_ALL, nullptr);
    const bool is_comma = name == kCommaLocale;
    if (is_comma) {
        ISOTICK_TRY(made->make_comma_locale());
    } else {
        made->set_variable("LC_ALL", name);
    }
    if (std::setlocale(is_comma ? LC_NUMERIC : LC_ALL, is_comma ? kName : name.c_str()) ==
        nullptr) {
        return core::fail(ErrorCode::usage, "this machine has no locale " + name);
    }
    return made;
}

// Other variables must not name locales that are not in the folder: glibc then sets none at all.
Result<void> OtherLocale::make_comma_locale() {
    ISOTICK_TRY_ASSIGN(folder_, temporary_folder());
    const std::filesystem::path place = std::filesystem::path(folder_) / kName;
    std::error_code error;
    std::filesystem::create_directory(place, error);
    const Bytes bytes = comma_numbers();
    std::ofstream file(place / "LC_NUMERIC", std::ios::binary);
    file.write(reinterpret_cast<const char*>(bytes.data()),
               static_cast<std::streamsize>(bytes.size()));
    file.close();
    if (!file) {
        return core::fail(ErrorCode::io, "cannot write a locale into " + folder_);
    }
    for (const char* other :
         {"LC_ALL", "LC_CTYPE", "LC_TIME", "LC_COLLATE", "LC_MONETARY", "LC_MESSAGES", "LC_PAPER",
          "LC_NAME", "LC_ADDRESS", "LC_TELEPHONE", "LC_MEASUREMENT", "LC_IDENTIFICATION"}) {
        set_variable(other, std::nullopt);
    }
    set_variable("LANG", is_locale("C.UTF-8") ? "C.UTF-8" : "C");
    set_variable("LOCPATH", folder_ + ":/usr/lib/locale");
    set_variable("LC_NUMERIC", kName);
    return {};
}

void OtherLocale::set_variable(const std::string& name, const std::optional<std::string>& value) {
    variables_.emplace_back(name, variable(name.c_str()));
    put_variable(name, value);
}

void OtherLocale::remove_file() const {
    if (!folder_.empty()) {
        std::error_code ignored;
        std::filesystem::remove_all(folder_, ignored);
    }
}

OtherLocale::~OtherLocale() {
    remove_file();
    std::setlocale(LC_ALL, former_.c_str());
    for (const auto& [name, value] : std::views::reverse(variables_)) {
        put_variable(name, value);
    }
}

}  // namespace isotick::harness
