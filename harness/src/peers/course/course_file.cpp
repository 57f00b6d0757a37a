#include "../../messages/messages.hpp"
#include "../../platform/mapped_file.hpp"

#include <isotick/core/detail/try.hpp>
#include <isotick/harness/detail/peers/course_file.hpp>

#include <fstream>
#include <string_view>

namespace isotick::harness {
namespace {

using core::Error;
using core::ErrorCode;
using core::Result;

// What a file begins with, so that none is taken for another.
constexpr std::string_view kCourseTag = "isotick course\n";
constexpr std::string_view kJoinStateTag = "isotick join state\n";

Result<void> write_file(const std::string& path, std::string_view tag, const std::string& bytes) {
    std::ofstream file(path, std::ios::binary | std::ios::trunc);
    file.write(tag.data(), static_cast<std::streamsize>(tag.size()));
    file.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    file.close();
    return file ? Result<void>()
                : tl::unexpected(Error{ErrorCode::io, "cannot be written", path, {}, {}});
}

template <class T>
Result<T> read_file(const std::string& path, std::string_view tag) {
    ISOTICK_TRY_ASSIGN(const auto file, MappedFile::open(path));
    const std::string_view bytes(reinterpret_cast<const char*>(file.bytes().data()),
                                 file.bytes().size());
    auto what = [&](const std::string& why) {
        return Error{ErrorCode::damaged, why, path, {}, {}};
    };
    if (!bytes.starts_with(tag)) {
        return tl::unexpected(
            what("is not an " + std::string(tag.substr(0, tag.size() - 1)) + " file"));
    }
    return from_bytes<T>(bytes.substr(tag.size())).map_error([&](const Error& error) {
        return what("cannot be read: " + error.message);
    });
}

}  // namespace

Result<void> write_course(const std::string& path, const Course& course) {
    return write_file(path, kCourseTag, to_bytes(course));
}

Result<Course> read_course(const std::string& path) {
    return read_file<Course>(path, kCourseTag);
}

Result<void> write_join_state(const std::string& path, const JoinState& state) {
    return write_file(path, kJoinStateTag, to_bytes(state));
}

Result<JoinState> read_join_state(const std::string& path) {
    return read_file<JoinState>(path, kJoinStateTag);
}

}  // namespace isotick::harness
