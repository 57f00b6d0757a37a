// The parts of the hash archive that are not templates.

#include <isotick/core/detail/hash_sink.hpp>
#include <isotick/core/detail/hash_values.hpp>

#include <algorithm>
#include <bit>
#include <stdexcept>
#include <utility>

namespace isotick::core::detail {

std::string StatePath::text() const {
    std::string text;
    const std::size_t kept = std::min(count_, steps_.size());
    for (std::size_t i = 0; i < kept; ++i) {
        const Step& step = steps_[i];
        if (step.name == nullptr) {
            text += '[' + std::to_string(step.index) + ']';
        } else {
            text += (text.empty() ? "" : ".") + std::string(step.name);
        }
    }
    return count_ > kept ? text + "…" : text;
}

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

namespace {

std::string at_offset(std::size_t offset) {
    return " at byte " + std::to_string(offset);
}

}  // namespace

// Round 2k: the kth binary digit of each byte's offset; round 2k + 1: its complement.
bool fill_pattern(std::span<std::byte> bytes, unsigned round) {
    const unsigned digits = std::max(1U, static_cast<unsigned>(std::bit_width(bytes.size() - 1)));
    if (round > 2 * digits) {
        return false;
    }
    for (std::size_t i = 0; i < bytes.size(); ++i) {
        const std::size_t value =
            round == 2 * digits ? 37 * i + 11 : ((i >> (round / 2)) ^ round) & 1U;
        bytes[i] = static_cast<std::byte>(value & 0xffU);
    }
    return true;
}

void require_same_bytes(const char* type, std::span<const std::byte> memory,
                        std::span<const std::byte> hashed, std::size_t count) {
    const std::string subject = "ISOTICK_CONTIGUOUS(" + std::string(type) + ") is not true: ";
    const std::size_t common = std::min(memory.size(), count);
    for (std::size_t i = 0; i < common; ++i) {
        if (memory[i] != hashed[i]) {
            throw std::logic_error(subject + "its serialize and its memory differ" + at_offset(i) +
                                   " (padding, another order, or a member left out)");
        }
    }
    if (count != memory.size()) {
        throw std::logic_error(subject + "its serialize visits " + std::to_string(count) + " of " +
                               std::to_string(memory.size()) + " bytes; they part" +
                               at_offset(common));
    }
}

}  // namespace isotick::core::detail

namespace isotick::core {
namespace {

constexpr const char* kRestName = "state";

}  // namespace

void HashSink::begin_state() {
    count_ = 0;
    as_before_ = true;
    current_ = nullptr;
    named_part_ = kNoPart;
    rest_part_ = kNoPart;
    around_items_.clear();
    open(rest_);
}

void HashSink::end_state() {
    if (count_ == 0) {
        rest_part_ = claim_part(kRestName);
    }
    claim_rest();
    if (rest_part_ != kNoPart) {
        parts_[rest_part_].hash = {finish({})};
    }
}

void HashSink::begin_part(const char* name) {
    claim_rest();
    named_part_ = claim_part(name);
    open(named_);
}

void HashSink::end_part(std::span<const std::byte> last) {
    parts_[named_part_].hash = {finish(last)};
    named_part_ = kNoPart;
    go_back_to(rest_);
}

void HashSink::begin_item() {
    if (around_items_.size() == items_.size()) {
        items_.push_back(std::make_unique<Stream>());
    }
    Stream& item = *items_[around_items_.size()];
    around_items_.push_back(current_);
    open(item);
}

std::uint64_t HashSink::end_item() {
    const std::uint64_t hash = finish({});
    go_back_to(*around_items_.back());
    around_items_.pop_back();
    return hash;
}

void HashSink::begin_capture(std::span<std::byte> room) {
    begin_state();
    capture_ = room;
    uncaptured_ = 0;
    current_ = nullptr;
    cursor_ = room.data();
    limit_ = room.data() + room.size();
}

std::size_t HashSink::captured() const {
    return static_cast<std::size_t>(cursor_ - capture_.data()) + uncaptured_;
}

void HashSink::put_slowly(const void* data, std::size_t size) {
    if (current_ == nullptr) {
        uncaptured_ += size;
        return;
    }
    if (const auto bytes = staged(); !bytes.empty()) {
        stream(bytes);
        cursor_ = current_->staging.data();
    }
    if (size <= current_->staging.size() / 2) {
        std::memcpy(cursor_, data, size);
        cursor_ += size;
    } else {
        stream({static_cast<const std::byte*>(data), size});
    }
}

void HashSink::stream(std::span<const std::byte> bytes) {
    if (!current_->streamed) {
        current_->hasher.reset();
        current_->streamed = true;
    }
    current_->hasher.update(bytes);
}

// Makes an empty stream the current one.
void HashSink::open(Stream& stream) {
    stream.cursor = stream.staging.data();
    stream.streamed = false;
    if (current_ != nullptr) {
        current_->cursor = cursor_;
    }
    go_back_to(stream);
}

void HashSink::go_back_to(Stream& stream) {
    current_ = &stream;
    cursor_ = stream.cursor;
    limit_ = stream.staging.data() + stream.staging.size();
}

// What waits in the current stream's staging buffer.
std::span<const std::byte> HashSink::staged() const {
    return {current_->staging.data(), cursor_};
}

// The hash of the current stream's bytes and then `last`.
std::uint64_t HashSink::finish(std::span<const std::byte> last) {
    const auto bytes = staged();
    if (!current_->streamed && (bytes.empty() || last.empty())) {
        return hash_bytes(bytes.empty() ? last : bytes);
    }
    if (!bytes.empty()) {
        stream(bytes);
    }
    if (!last.empty()) {
        stream(last);
    }
    return current_->hasher.value();
}

// Gives the bytes outside of named parts their place once there are any.
void HashSink::claim_rest() {
    if (rest_part_ == kNoPart && (rest_.streamed || !staged().empty())) {
        rest_part_ = claim_part(kRestName);
    }
}

// Parts that come as in the state before are known to differ in their names.
std::size_t HashSink::claim_part(const char* name) {
    if (as_before_ && count_ < parts_.size() && parts_[count_].name == name) {
        return count_++;
    }
    as_before_ = false;
    parts_.resize(count_);
    for (std::size_t i = 0; i < count_; ++i) {
        if (parts_[i].name == name) {
            throw std::logic_error("two top-level parts are named '" + std::string(name) + "'");
        }
    }
    parts_.emplace_back().name = name;
    return count_++;
}

}  // namespace isotick::core
