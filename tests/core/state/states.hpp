#pragma once
// States to save, load, show and compare.

#include <isotick/core/detail/fields.hpp>
#include <isotick/core/snapshot.hpp>

#include <array>
#include <bitset>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <variant>
#include <vector>

#include <cereal/types/array.hpp>
#include <cereal/types/bitset.hpp>
#include <cereal/types/deque.hpp>
#include <cereal/types/list.hpp>
#include <cereal/types/map.hpp>
#include <cereal/types/memory.hpp>
#include <cereal/types/optional.hpp>
#include <cereal/types/set.hpp>
#include <cereal/types/string.hpp>
#include <cereal/types/tuple.hpp>
#include <cereal/types/unordered_map.hpp>
#include <cereal/types/unordered_set.hpp>
#include <cereal/types/utility.hpp>
#include <cereal/types/variant.hpp>
#include <cereal/types/vector.hpp>

namespace isotick::core::states {

struct Vec2 {
    float x = 0;
    float y = 0;
    template <class Archive>
    void serialize(Archive& archive) {
        archive(CEREAL_NVP(x), CEREAL_NVP(y));
    }
    friend bool operator==(const Vec2&, const Vec2&) = default;
};

enum class Mood : std::uint8_t { calm = 0, angry = 2 };
inline const char* isotick_enum_name(Mood mood) {
    return mood == Mood::calm ? "calm" : mood == Mood::angry ? "angry" : "";
}

struct Unit {
    std::uint32_t id = 0;
    Vec2 velocity;
    bool stunned = false;
    Mood mood = Mood::calm;
    template <class Archive>
    void serialize(Archive& archive) {
        archive(CEREAL_NVP(id), CEREAL_NVP(velocity), CEREAL_NVP(stunned), CEREAL_NVP(mood));
    }
    friend bool operator==(const Unit&, const Unit&) = default;
};

/// The same, known by its id.
struct Entity : Unit {};

/// Marked as contiguous; a byte of it takes two values only.
struct Tile {
    std::uint16_t kind = 0;
    bool solid = false;
    std::uint8_t height = 0;
    template <class Archive>
    void serialize(Archive& archive) {
        archive(CEREAL_NVP(kind), CEREAL_NVP(solid), CEREAL_NVP(height));
    }
    friend bool operator==(const Tile&, const Tile&) = default;
};

struct Particle {
    float x = 0;
    float y = 0;
    std::int32_t life = 0;
    template <class Archive>
    void serialize(Archive& archive) {
        archive(CEREAL_NVP(x), CEREAL_NVP(y), CEREAL_NVP(life));
    }
    friend bool operator==(const Particle&, const Particle&) = default;
};

struct Node {
    std::int32_t value = 0;
    std::unique_ptr<Node> next;
    template <class Archive>
    void serialize(Archive& archive) {
        archive(CEREAL_NVP(value), CEREAL_NVP(next));
    }
};

/// Part of a ring: points to itself in the end.
struct Ring {
    std::int32_t value = 0;
    std::shared_ptr<Ring> next;
    template <class Archive>
    void serialize(Archive& archive) {
        archive(CEREAL_NVP(value), CEREAL_NVP(next));
    }
};

struct Nothing {};

/// A type that serializes no byte although it has one.
struct Silent {
    int cache = 0;
    template <class Archive>
    void serialize(Archive&) {}
};

/// `count` nodes in a row. Release it with cut().
inline std::unique_ptr<Node> chain(int count) {
    std::unique_ptr<Node> head;
    for (int i = 0; i < count; ++i) {
        auto node = std::make_unique<Node>();
        node->value = i;
        node->next = std::move(head);
        head = std::move(node);
    }
    return head;
}

/// Releases a chain without recursion.
inline void cut(std::unique_ptr<Node> head) {
    while (head != nullptr) {
        head = std::move(head->next);
    }
}

/// What a sink collected.
using Bytes = std::vector<std::byte>;

inline isotick_sink into(Bytes& bytes) {
    const auto write = [](void* context, const void* data, std::uint64_t size) -> std::int32_t {
        const auto* first = static_cast<const std::byte*>(data);
        auto& collected = *static_cast<Bytes*>(context);
        collected.insert(collected.end(), first, first + size);
        return ISOTICK_OK;
    };
    return {&bytes, write};
}

template <class T>
Bytes saved(const T& state) {
    Bytes bytes;
    save_snapshot(state, shape_of(state), into(bytes));
    return bytes;
}

template <class T>
void load(T& state, std::span<const std::byte> bytes) {
    load_snapshot(state, shape_of(state), bytes);
}

template <class T>
Bytes fields_of(const T& state) {
    Bytes bytes;
    write_fields(state, into(bytes));
    return bytes;
}

/// The text of what `act` throws; empty if it throws nothing.
template <class Act>
std::string thrown_by(const Act& act) {
    try {
        act();
    } catch (const std::exception& thrown) {
        return thrown.what();
    }
    return {};
}

/// A state of one member called `value`.
template <class T>
struct One {
    T value{};
    template <class Archive>
    void serialize(Archive& archive) {
        archive(CEREAL_NVP(value));
    }
};

}  // namespace isotick::core::states

ISOTICK_CONTIGUOUS(isotick::core::states::Tile);
ISOTICK_CONTIGUOUS(isotick::core::states::Particle);
ISOTICK_KEY(isotick::core::states::Entity, id);
