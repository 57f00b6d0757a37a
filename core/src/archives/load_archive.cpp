#include <isotick/core/detail/archives/load_archive.hpp>

#include <stdexcept>
#include <string>

namespace isotick::core {

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
