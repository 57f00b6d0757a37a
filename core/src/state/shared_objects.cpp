#include <isotick/core/detail/hashing/shared_objects.hpp>

#include <stdexcept>
#include <utility>

namespace isotick::core::detail {

SharedObjects::Met SharedObjects::meet(std::shared_ptr<const void> object, const void* type,
                                       bool weak, std::uint32_t part) {
    const auto [found, inserted] = entries_.try_emplace(Key{object.get(), type}, Entry{0, 0});
    Entry& entry = found->second;
    const std::size_t chain = weak ? open_.size() : open_.empty() ? 0 : open_.back().chain;
    if (!inserted) {
        if (entry.place > chain) {
            throw std::logic_error(
                "shared pointers form a cycle and own each other: make one of them a weak_ptr");
        }
        return {entry.reference, false};
    }
    entry.reference = (std::uint64_t{part} << 32) | next_number(part);
    kept_.push_back(std::move(object));
    open_.push_back({&entry, chain});
    entry.place = open_.size();
    return {entry.reference, true};
}

void SharedObjects::close() {
    open_.back().entry->place = 0;
    open_.pop_back();
}

std::uint32_t SharedObjects::next_number(std::uint32_t part) {
    if (part == 0) {
        return ++numbers_outside_;
    }
    if (part != part_) {
        part_ = part;
        numbers_in_part_ = 0;
    }
    return ++numbers_in_part_;
}

std::size_t SharedObjects::Spread::operator()(const Key& key) const {
    const auto object = static_cast<std::uint64_t>(reinterpret_cast<std::uintptr_t>(key.object));
    const auto type = static_cast<std::uint64_t>(reinterpret_cast<std::uintptr_t>(key.type));
    const std::uint64_t mixed = (object ^ (type << 17)) * 0x9e3779b97f4a7c15U;
    return static_cast<std::size_t>(mixed >> 24);
}

}  // namespace isotick::core::detail
