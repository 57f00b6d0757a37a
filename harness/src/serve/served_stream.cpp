#include "served_stream.hpp"

#include <string>

namespace isotick::harness {

using core::ErrorCode;
using core::Result;

void ServedStream::add(std::span<const std::byte> bytes) {
    requests_.erase(requests_.begin(), requests_.begin() + static_cast<std::ptrdiff_t>(done_));
    done_ = 0;
    core::put_bytes(requests_, bytes);
}

// A size of 0 is known as such without the verb, which belongs to another message by then.
std::optional<ServedStream::Head> ServedStream::next_head() const {
    core::ByteReader reader(rest());
    Head head;
    head.size = reader.get<std::uint32_t>();
    if (!reader.ok()) {
        return std::nullopt;
    }
    head.verb = reader.get<std::uint8_t>();
    return reader.ok() || head.size == 0 ? std::optional(head) : std::nullopt;
}

Result<bool> ServedStream::answer_next(core::Bytes& answers) {
    const auto head = next_head();
    if (!head) {
        return false;
    }
    const std::uint32_t longest =
        head->verb == static_cast<std::uint8_t>(Verb::load) ? kLongestMessage : kLongestRequest;
    if (head->size == 0 || head->size > longest) {
        return core::fail(ErrorCode::damaged, "a request of " + std::to_string(head->size) +
                                                  " bytes: its host speaks no protocol");
    }
    if (rest().size() < kSizeBytes + head->size) {
        return false;
    }
    const auto body = rest().subspan(kSizeBytes + 1, head->size - 1);
    done_ += kSizeBytes + head->size;
    served_.answer(head->verb, body, answers);
    return true;
}

Result<void> ServedStream::end() const {
    return rest().empty() ? Result<void>()
                          : core::fail(ErrorCode::damaged, "the requests end within one");
}

}  // namespace isotick::harness
