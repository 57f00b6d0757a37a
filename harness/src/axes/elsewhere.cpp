#include "elsewhere.hpp"

#include "../system/files.hpp"
#include "../system/posix.hpp"
#include "../system/preload.hpp"

#include <isotick/core/detail/bytes.hpp>
#include <isotick/core/detail/try.hpp>
#include <isotick/replay/detail/new_file.hpp>

#include <array>
#include <bit>
#include <cerrno>
#include <clocale>
#include <cstdint>
#include <cstdlib>
#include <fcntl.h>
#include <filesystem>
#include <ranges>
#include <span>
#include <system_error>
#include <unistd.h>
#include <utility>

#include <sys/stat.h>

namespace isotick::harness {
namespace {

using core::Result;

// Where the numbers are that simulations get for their own files: not here.
constexpr int kOutOfTheWay = 300;

Result<FileDescriptor> open_folder(const char* path) {
    const preload::Unseen unseen;
    const FileDescriptor folder(open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (folder.get() < 0) {
        return system_failure("cannot open a folder");
    }
    return copy_of(folder, kOutOfTheWay);
}

// Works as long as the folder may be searched, even where it was removed.
void change_to(const FileDescriptor& folder) {
    [[maybe_unused]] const int changed = fchdir(folder.get());
}

}  // namespace

Result<std::unique_ptr<OtherFolder>> OtherFolder::make(const std::string& path) {
    ISOTICK_TRY_ASSIGN(auto host, open_folder("."));
    ISOTICK_TRY_ASSIGN(auto simulation, open_folder(path.c_str()));
    return std::unique_ptr<OtherFolder>(new OtherFolder(std::move(host), std::move(simulation)));
}

void OtherFolder::enter() const {
    change_to(simulation_);
}

void OtherFolder::leave() {
    if (auto now = open_folder(".")) {
        simulation_ = std::move(*now);
    }
    change_to(host_);
}

namespace {

using core::Bytes;
using core::ErrorCode;
using core::Result;

// The locale's file of numbers, which glibc maps (locale/loadlocale.c): a magic number of the
// category, how many items there are, where each begins, then the items: the decimal point, what
// separates thousands and how they are grouped, both as wide characters, the character set.
Bytes numbers_of(std::string_view locale) {
    constexpr std::uint32_t kMagicOfNumbers = 0x20031114;
    constexpr std::string_view kWithComma{",\0\0\0,\0\0\0\0\0\0\0UTF-8\0", 18};
    constexpr std::string_view kWithPoint{".\0\0\0.\0\0\0\0\0\0\0UTF-8\0", 18};
    const std::string_view items = locale == kCommaLocale ? kWithComma : kWithPoint;
    constexpr std::array<std::uint32_t, 6> kBegins{0, 2, 3, 4, 8, 12};
    Bytes file;
    core::put(file, kMagicOfNumbers);
    core::put(file, static_cast<std::uint32_t>(kBegins.size()));
    for (const std::uint32_t begin : kBegins) {
        core::put(file, static_cast<std::uint32_t>(2 + kBegins.size()) * 4 + begin);
    }
    core::put_bytes(file, std::as_bytes(std::span(items)));
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

bool is_our_own(std::string_view locale) {
    return locale == kCommaLocale || locale == kPointLocale;
}

std::optional<std::string> parents_locales;  // none in a process that is no worker

const Result<TemporaryFolder>& own_folder() {
    static const auto folder = TemporaryFolder::reserve(temporary_place(), "isotick-locales-");
    return folder;
}

// By any of the processes that share the folder, whoever is first. Why not; empty: it is there.
std::string make_locale(std::string_view name) {
    const std::filesystem::path folder = own_locales();
    const std::filesystem::path file = folder / name / "LC_NUMERIC";
    std::error_code error;
    if (folder.empty()) {
        return "no locale can be made: " + describe(own_folder().error());
    }
    if (std::filesystem::exists(file, error)) {
        return "";
    }
    const std::string failure = "no locale can be made in " + folder.parent_path().string() + ": ";
    if (mkdir(folder.c_str(), S_IRWXU) != 0 && errno != EEXIST) {
        return failure + std::error_code(errno, std::generic_category()).message();
    }
    std::filesystem::create_directory(folder / name, error);
    const auto made =
        replay::NewFile::create(file, false).and_then([name](replay::NewFile&& begun) {
            return begun.write(numbers_of(name)).and_then([&begun] { return begun.complete(); });
        });
    return made || std::filesystem::exists(file, error) ? "" : failure + made.error().message;
}

}  // namespace

std::string own_locales() {
    if (parents_locales) {
        return *parents_locales;
    }
    return own_folder() ? own_folder()->path() : "";
}

void use_locales_in(const std::string& folder) {
    parents_locales = folder;
}

std::string why_no_locale(std::string_view name) {
    const preload::Unseen unseen;
#if defined(__GLIBC__)
    if (is_our_own(name) && std::endian::native == std::endian::little) {
        return make_locale(name);
    }
#endif
    const locale_t locale = newlocale(LC_ALL_MASK, std::string(name).c_str(), nullptr);
    if (locale == nullptr) {
        return "this machine has no locale " + std::string(name);
    }
    freelocale(locale);
    return "";
}

Result<std::unique_ptr<OtherLocale>> OtherLocale::make(const std::string& name) {
    std::unique_ptr<OtherLocale> made(new OtherLocale);
    made->former_ = std::setlocale(LC_ALL, nullptr);
    if (std::string why_not = why_no_locale(name); !why_not.empty()) {
        return core::fail(ErrorCode::usage, std::move(why_not));
    }
    const bool is_own = is_our_own(name);
    if (is_own) {
        made->choose_our_own(name);
    } else {
        made->set_variable("LC_ALL", name);
    }
    if (std::setlocale(is_own ? LC_NUMERIC : LC_ALL, name.c_str()) == nullptr) {
        return core::fail(ErrorCode::usage, "the locale " + name + " cannot be set");
    }
    return made;
}

// Other variables must not name locales that are not in the folder: glibc then sets none at all.
void OtherLocale::choose_our_own(const std::string& name) {
    for (const char* other :
         {"LC_ALL", "LC_CTYPE", "LC_TIME", "LC_COLLATE", "LC_MONETARY", "LC_MESSAGES", "LC_PAPER",
          "LC_NAME", "LC_ADDRESS", "LC_TELEPHONE", "LC_MEASUREMENT", "LC_IDENTIFICATION"}) {
        set_variable(other, std::nullopt);
    }
    set_variable("LANG", why_no_locale("C.UTF-8").empty() ? "C.UTF-8" : "C");
    set_variable("LOCPATH", own_locales() + ":/usr/lib/locale");
    set_variable("LC_NUMERIC", name);
}

void OtherLocale::set_variable(const std::string& name, const std::optional<std::string>& value) {
    variables_.emplace_back(name, variable(name.c_str()));
    put_variable(name, value);
}

OtherLocale::~OtherLocale() {
    std::setlocale(LC_ALL, former_.c_str());
    for (const auto& [name, value] : std::views::reverse(variables_)) {
        put_variable(name, value);
    }
}

}  // namespace isotick::harness
