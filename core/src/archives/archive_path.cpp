#include <isotick/core/detail/archives/archive_path.hpp>

#include <stdexcept>

namespace isotick::core {
namespace {

constexpr std::size_t kLongest = 200;

}  // namespace

void ArchivePath::throw_too_deep() {
    throw std::length_error("nested more than " + std::to_string(kDeepest) + " deep");
}

void ArchivePath::name_passed(std::size_t depth, const char* name) noexcept {
    try {
        if (std::string_view(name) != "ptr_wrapper") {  // cereal's, not the user's
            names_.emplace_back(depth, name);
        }
    } catch (...) {  // out of memory: the path lacks a name, the exception is still the user's
    }
}

std::string ArchivePath::text() const {
    std::string path;
    auto name = names_.rbegin();
    for (std::size_t depth = 0; depth <= frames_.size() && path.size() <= kLongest; ++depth) {
        if (depth != 0 && frames_[depth - 1].elements) {
            path += "[" + std::to_string(frames_[depth - 1].done) + "]";
        }
        for (; name != names_.rend() && name->first == depth; ++name) {
            path += (path.empty() ? "" : ".") + name->second;
        }
    }
    if (path.size() > kLongest) {
        path.resize(kLongest);
        path += "…";
    }
    return path;
}

std::string ArchivePath::describe(const char* what) const {
    const std::string path = text();
    return path.empty() ? what : path + ": " + what;
}

}  // namespace isotick::core
