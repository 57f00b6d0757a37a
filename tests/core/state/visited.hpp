#pragma once
// What visitor.h makes of a visiting function, for tests.

#include "states.hpp"

#include <isotick/core/visitor.h>

#include <array>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace isotick::core::states {

using Parts = std::vector<std::pair<std::string, std::uint64_t>>;

/// What came of a visit: why it failed, or what it wrote.
struct Visited {
    std::string failure;
    Parts parts;
    std::vector<std::byte> bytes;
};

/// The text that calls write into.
struct Message {
    std::array<char, 256> text{};
    isotick_message message{text.data(), text.size()};
};

template <class Visit>
Visited visited_hash(const Visit& visit, const char* nans = nullptr, std::uint32_t room = 256) {
    Message why;
    isotick_visitor v;
    std::vector<isotick_part> parts(room);
    std::uint32_t count = 0;
    Visited made;
    isotick_begin_hash(&v, parts.data(), room, nans, &why.message);
    visit(&v);
    if (isotick_end_hash(&v, &count) != ISOTICK_OK) {
        made.failure = why.text.data();
        return made;
    }
    for (std::uint32_t i = 0; i < count; ++i) {
        made.parts.emplace_back(parts[i].name, parts[i].hash);
    }
    return made;
}

template <class Visit>
Visited visited_save(const Visit& visit) {
    Message why;
    isotick_visitor v;
    Visited made;
    const isotick_sink sink = into(made.bytes);
    isotick_begin_save(&v, &sink, &why.message);
    visit(&v);
    made.failure = isotick_end_save(&v) == ISOTICK_OK ? "" : why.text.data();
    return made;
}

template <class Visit>
Visited visited_fields(const Visit& visit) {
    Message why;
    isotick_visitor v;
    Visited made;
    const isotick_sink sink = into(made.bytes);
    isotick_begin_fields(&v, &sink, &why.message);
    visit(&v);
    made.failure = isotick_end_fields(&v) == ISOTICK_OK ? "" : why.text.data();
    return made;
}

/// Empty if it loaded, else why not.
template <class Visit>
std::string visited_load(const Visit& visit, const std::vector<std::byte>& bytes) {
    Message why;
    isotick_visitor v;
    isotick_begin_load(&v, reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size(),
                       &why.message);
    visit(&v);
    return isotick_end_load(&v) == ISOTICK_OK ? "" : why.text.data();
}

}  // namespace isotick::core::states
