// The parts of the binary archives that are not templates.

#include <isotick/core/detail/archive_path.hpp>
#include <isotick/core/detail/load_archive.hpp>
#include <isotick/core/detail/save_archive.hpp>

#include <stdexcept>
#include <string>

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

void ByteWriter::flush() {
    if (used_ != 0) {
        const std::size_t size = used_;
        used_ = 0;
        pass_on(staging_.data(), size);
    }
}

void ByteWriter::put_slowly(const void* data, std::size_t size) {
    flush();
    if (size <= staging_.size()) {
        std::memcpy(staging_.data(), data, size);
        used_ = size;
        return;
    }
    pass_on(data, size);
}

void ByteWriter::pass_on(const void* data, std::size_t size) {
    if (sink_.write(sink_.context, data, size) != ISOTICK_OK) {
        throw std::runtime_error("the reader accepts no more");
    }
    passed_on_ += size;
}

std::size_t LoadReader::size(std::size_t least) {
    const auto size = number<std::uint64_t>();
    if (size > left() / least) {
        throw std::runtime_error("claims " + std::to_string(size) + " elements, but only " +
                                 std::to_string(left()) + " bytes are left");
    }
    return static_cast<std::size_t>(size);
}

void LoadReader::skip_filler() {
    if (number<std::uint8_t>() != 0) {
        throw std::runtime_error("the filler of an element without values is not zero");
    }
}

void LoadReader::throw_short(std::size_t size) const {
    throw std::runtime_error("ends early: " + std::to_string(size) + " bytes are needed, " +
                             std::to_string(left()) + " are left");
}

bool LoadReader::boolean() {
    const auto byte = number<std::uint8_t>();
    if (byte > 1) {
        throw std::runtime_error("a bool is " + std::to_string(byte));
    }
    return byte == 1;
}

std::shared_ptr<void> LoadArchive::getSharedPointer(std::uint32_t id) const {
    if (id == 0) {
        return nullptr;
    }
    const auto place = pointers_.find(id);
    if (place == pointers_.end()) {
        throw std::runtime_error("refers to shared object " + std::to_string(id) +
                                 ", which does not come before");
    }
    if (place->second.type != expected_) {
        throw std::runtime_error("refers to shared object " + std::to_string(id) +
                                 ", which has another type");
    }
    return place->second.object;
}

}  // namespace isotick::core
