#pragma once
// What visitor.h makes of a visiting function, for tests.

#include "states.hpp"

#include <isotick/core/visitor.h>

#include <array>
#include <cstddef>
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

/// A value, and where it is.
struct Located {
    std::string path;
    const void* address = nullptr;
    std::uint64_t size = 0;
    friend bool operator==(const Located&, const Located&) = default;
};

/// Where the values are; the host takes `most` of them.
template <class Visit>
std::vector<Located> visited_memory(const Visit& visit, std::string& failure,
                                    std::size_t most = SIZE_MAX) {
    struct Host {
        std::vector<Located> values;
        std::size_t most;
    } host{{}, most};
    const auto keep = [](void* context, const char* path, void* address, std::uint64_t size,
                         std::uint32_t settable) -> std::int32_t {
        auto& to = *static_cast<Host*>(context);
        if (settable != ISOTICK_MEMORY_OUTSIDE || to.values.size() == to.most) {
            return ISOTICK_FAILED;
        }
        to.values.push_back({path, address, size});
        return ISOTICK_OK;
    };
    const isotick_memory_visitor visitor{&host, nullptr, nullptr, keep};
    Message why;
    isotick_visitor v;
    isotick_begin_memory(&v, &visitor, &why.message);
    visit(&v);
    failure = isotick_end_memory(&v) == ISOTICK_OK ? "" : "failed: " + std::string(why.text.data());
    return host.values;
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
