#include <isotick/core/detail/adapter/simulation_table.hpp>
#include <isotick/core/detail/try.hpp>
#include <isotick/harness/detail/simulations/plugin_library.hpp>

#include <cstring>
#include <dlfcn.h>
#include <filesystem>
#include <system_error>
#include <utility>

namespace isotick::harness {
namespace {

using core::Error;
using core::ErrorCode;
using core::Result;

tl::unexpected<Error> refuse(const std::string& path, ErrorCode code, std::string message) {
    return tl::unexpected(Error{code, std::move(message), path, {}, {}});
}

Result<void> check_file(const std::string& path) {
    std::error_code error;
    const auto status = std::filesystem::status(path, error);
    if (!std::filesystem::exists(status)) {
        return refuse(path, ErrorCode::usage, "there is no such shared library");
    }
    if (!std::filesystem::is_regular_file(status)) {
        return refuse(path, ErrorCode::usage, "this is not a file, so not a shared library");
    }
    return {};
}

std::string last_loader_error() {
    const char* text = dlerror();
    return text == nullptr ? "unknown reason" : text;
}

}  // namespace

Result<PluginLibrary> PluginLibrary::load(const std::string& path) {
    ISOTICK_TRY(check_file(path));
    // A name without a slash would be looked for in the system's folders.
    const std::string absolute = std::filesystem::absolute(path).string();
    void* handle = dlopen(absolute.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (handle == nullptr) {
        return refuse(path, ErrorCode::usage, "cannot be loaded: " + last_loader_error());
    }
    PluginLibrary library(handle);
    void* symbol = dlsym(handle, ISOTICK_PLUGIN_ENTRY);
    if (symbol == nullptr) {
        return refuse(path, ErrorCode::usage,
                      "exports no function " ISOTICK_PLUGIN_ENTRY ": not a plug-in of isotick");
    }
    isotick_simulation_entry_function entry = nullptr;
    static_assert(sizeof entry == sizeof symbol);
    std::memcpy(&entry, &symbol, sizeof entry);
    library.table_ = entry();
    if (auto checked = core::check_table(library.table_); !checked) {
        return refuse(path, ErrorCode::usage, checked.error().message);
    }
    return library;
}

PluginLibrary::~PluginLibrary() {
    if (handle_ != nullptr) {
        dlclose(handle_);
    }
}

PluginLibrary::PluginLibrary(PluginLibrary&& other) noexcept
    : handle_(std::exchange(other.handle_, nullptr)), table_(other.table_) {}

PluginLibrary& PluginLibrary::operator=(PluginLibrary&& other) noexcept {
    std::swap(handle_, other.handle_);
    std::swap(table_, other.table_);
    return *this;
}

}  // namespace isotick::harness
