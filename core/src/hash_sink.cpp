#include <isotick/core/hash_sink.hpp>

#include <stdexcept>

namespace isotick::core {
namespace {

constexpr const char* kRestName = "state";

}  // namespace

void HashSink::begin_state() {
    used_ = 0;
    count_ = 0;
    current_ = &rest_;
    named_part_ = kNoPart;
    rest_part_ = kNoPart;
    rest_.hasher.reset();
    rest_.streamed = false;
}

void HashSink::end_state() {
    flush();
    if (rest_part_ == kNoPart && count_ == 0) {
        rest_part_ = claim_part(kRestName);
    }
    if (rest_part_ != kNoPart) {
        parts_[rest_part_].hash = {rest_.hasher.value()};
    }
}

void HashSink::begin_part(const char* name) {
    flush();
    named_part_ = claim_part(name);
    named_.streamed = false;
    current_ = &named_;
}

void HashSink::end_part() {
    if (named_.streamed) {
        flush();
        parts_[named_part_].hash = {named_.hasher.value()};
    } else {
        parts_[named_part_].hash = {hash_bytes(std::span(staging_).first(used_))};
    }
    used_ = 0;
    named_part_ = kNoPart;
    current_ = &rest_;
}

void HashSink::put_slowly(const void* data, std::size_t size) {
    flush();
    if (size <= staging_.size()) {
        std::memcpy(staging_.data(), data, size);
        used_ = size;
        return;
    }
    stream({static_cast<const std::byte*>(data), size});
}

void HashSink::flush() {
    if (used_ != 0) {
        stream(std::span(staging_).first(used_));
        used_ = 0;
    }
}

void HashSink::stream(std::span<const std::byte> bytes) {
    if (current_ == &rest_ && rest_part_ == kNoPart) {
        rest_part_ = claim_part(kRestName);
    }
    if (current_ == &named_ && !named_.streamed) {
        named_.hasher.reset();
    }
    current_->hasher.update(bytes);
    current_->streamed = true;
}

std::size_t HashSink::claim_part(const char* name) {
    for (std::size_t i = 0; i < count_; ++i) {
        if (parts_[i].name == name) {
            throw std::logic_error("two top-level parts are named '" + std::string(name) + "'");
        }
    }
    if (count_ == parts_.size()) {
        parts_.emplace_back();
    }
    if (parts_[count_].name != name) {
        parts_[count_].name = name;
    }
    return count_++;
}

}  // namespace isotick::core
