#include "output_file.hpp"

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <utility>

namespace isotick::program {
namespace {

using core::ErrorCode;
using core::Result;

// A killed process leaves its temporary; this many of them are stepped over.
constexpr int kMostTemporaries = 100;

tl::unexpected<core::Error> cannot_create(const std::string& path, bool exists) {
    return tl::unexpected<core::Error>(
        {exists ? ErrorCode::usage : ErrorCode::io,
         exists ? "exists; --force replaces it, nothing was written"
                : std::string("cannot be created: ") + std::strerror(errno),
         path,
         {},
         {}});
}

}  // namespace

Result<OutputFile> OutputFile::create(const std::string& path, bool replace) {
    if (path == "-") {
        return OutputFile(stdout, path, "");
    }
    std::error_code error;
    const bool regular = std::filesystem::is_regular_file(path, error);
    const bool special = std::filesystem::exists(path, error) && !regular;
    if (replace && special) {
        std::FILE* const file = std::fopen(path.c_str(), "wb");
        return file == nullptr ? Result<OutputFile>(cannot_create(path, false))
                               : OutputFile(file, path, "");
    }
    for (int number = 0;; ++number) {
        const std::string candidate =
            replace && regular ? path + ".partial" + std::to_string(number) : path;
        if (std::FILE* const file = std::fopen(candidate.c_str(), "wbx"); file != nullptr) {
            return OutputFile(file, path, candidate);
        }
        if (candidate == path || errno != EEXIST || number + 1 == kMostTemporaries) {
            return cannot_create(candidate, errno == EEXIST);
        }
    }
}

OutputFile::~OutputFile() {
    if (file_ != nullptr && file_ != stdout) {
        std::fclose(file_);
    }
    if (!written_.empty()) {
        std::remove(written_.c_str());
    }
}

OutputFile::OutputFile(OutputFile&& other) noexcept
    : file_(std::exchange(other.file_, nullptr)),
      path_(std::move(other.path_)),
      written_(std::exchange(other.written_, {})) {}

tl::unexpected<core::Error> OutputFile::failed() const {
    return tl::unexpected<core::Error>({ErrorCode::io,
                                        std::string("cannot be written: ") + std::strerror(errno),
                                        file_ == stdout ? "stdout" : path_,
                                        {},
                                        {}});
}

Result<void> OutputFile::write(std::string_view text) {
    if (std::fwrite(text.data(), 1, text.size(), file_) != text.size()) {
        return failed();
    }
    return {};
}

Result<void> OutputFile::complete() {
    if (std::fflush(file_) != 0) {
        return failed();
    }
    if (file_ == stdout) {
        return {};
    }
    if (std::fclose(std::exchange(file_, nullptr)) != 0) {
        return failed();
    }
    if (!written_.empty() && written_ != path_ &&
        std::rename(written_.c_str(), path_.c_str()) != 0) {
        return failed();
    }
    written_.clear();
    return {};
}

}  // namespace isotick::program
