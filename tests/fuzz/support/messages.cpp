#include "messages.hpp"

#include <algorithm>

#include <simulations/wire.hpp>

namespace isotick::fuzz {

void put_messages(core::Bytes& out, Input input) {
    while (!input.empty()) {
        const harness::Message message(out, take_byte(input));
        const unsigned low = take_byte(input);
        const std::size_t size = low | take_byte(input) << 8U;
        const Input body = input.first(std::min(size, input.size()));
        core::put_bytes(out, body);
        input = input.subspan(body.size());
    }
}

}  // namespace isotick::fuzz
