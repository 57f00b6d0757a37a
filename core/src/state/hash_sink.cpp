#include <isotick/core/detail/hashing/hash_sink.hpp>

#include <stdexcept>

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
