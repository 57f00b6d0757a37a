#include "overlay.hpp"

#include "../../platform/mapped_file.hpp"

#include <isotick/core/detail/try.hpp>
#include <isotick/core/hash.hpp>

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <vector>

namespace isotick::harness::bisect {
namespace {

namespace fs = std::filesystem;
using core::Result;

core::Error failed_overlay(const fs::path& path, const std::error_code& why) {
    return {core::ErrorCode::io, why.message(), path.string(), {}, {}};
}

// All below `folder`, in an order that no file system decides.
Result<std::vector<fs::path>> entries_of(const std::string& folder) {
    std::error_code error;
    std::vector<fs::path> found;
    auto entry = fs::recursive_directory_iterator(folder, error);
    for (; !error && entry != fs::recursive_directory_iterator(); entry.increment(error)) {
        found.push_back(entry->path());
    }
    if (error) {
        return tl::unexpected(failed_overlay(folder, error));
    }
    std::ranges::sort(found);
    return found;
}

Result<void> add_content(const fs::path& path, core::StreamDigester& digester) {
    std::error_code error;
    const fs::file_status status = fs::symlink_status(path, error);
    if (fs::is_symlink(status)) {
        const std::string target = fs::read_symlink(path, error).string();
        digester.update(std::as_bytes(std::span(target)));
        return {};
    }
    if (!fs::is_regular_file(status) || fs::file_size(path, error) == 0) {
        return {};
    }
    ISOTICK_TRY_ASSIGN(const auto file, MappedFile::open(path.string()));
    digester.update(file.bytes());
    const bool executable = (status.permissions() & fs::perms::owner_exec) != fs::perms::none;
    digester.update(executable ? 1 : 0);
    return {};
}

// Why `target` cannot become what `source` is; empty where it can.
Result<std::string> put(const fs::path& source, const fs::path& target) {
    std::error_code error;
    const bool is_folder = fs::is_directory(fs::symlink_status(source, error));
    const fs::file_status there = fs::symlink_status(target, error);
    if (fs::exists(there) && fs::is_directory(there) != is_folder) {
        return (is_folder ? "it has a folder where the revision has a file: "
                          : "it has a file where the revision has a folder: ") +
               target.filename().string();
    }
    error.clear();
    if (is_folder) {
        fs::create_directory(target, error);
    } else {
        fs::remove(target, error);
        fs::copy(source, target, fs::copy_options::copy_symlinks, error);
    }
    return error ? Result<std::string>(tl::unexpected(failed_overlay(target, error)))
                 : std::string();
}

}  // namespace

Result<std::string> digest_of_folder(const std::string& folder) {
    ISOTICK_TRY_ASSIGN(const auto entries, entries_of(folder));
    core::StreamDigester digester;
    for (const fs::path& entry : entries) {
        const std::string name = entry.lexically_relative(folder).string();
        digester.update(name.size());
        digester.update(std::as_bytes(std::span(name)));
        ISOTICK_TRY(add_content(entry, digester));
    }
    return to_string(digester.value());
}

Result<std::string> lay_over(const std::string& overlay, const std::string& folder) {
    ISOTICK_TRY_ASSIGN(const auto entries, entries_of(overlay));
    for (const fs::path& entry : entries) {
        ISOTICK_TRY_ASSIGN(auto why, put(entry, folder / entry.lexically_relative(overlay)));
        if (!why.empty()) {
            return why;
        }
    }
    return std::string();
}

}  // namespace isotick::harness::bisect
