#pragma once
// Cereal archives that write and read JSON.

#include <isotick/core/detail/fields.hpp>
#include <isotick/core/detail/json.hpp>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include <cereal/cereal.hpp>

namespace isotick::core {

// A cereal output archive that writes one value as JSON: what has names becomes an object, other
// sequences become arrays.

class JsonSaveArchive;
class JsonLoadArchive;

namespace detail {

// Types that open an object or an array of their own, rather than being one value or cereal's way
// of naming one.
template <class T, class Archive>
inline constexpr bool is_json_node_v = std::is_class_v<T>;
template <class T, class Archive>
inline constexpr bool is_json_node_v<cereal::NameValuePair<T>, Archive> = false;
template <class T, class Archive>
inline constexpr bool is_json_node_v<cereal::SizeTag<T>, Archive> = false;
template <class Archive>
inline constexpr bool is_json_node_v<std::string, Archive> = false;

template <class T>
concept JsonMinimal = cereal::traits::has_minimal_output_serialization<T, JsonSaveArchive>::value;

}  // namespace detail

/// Appends to a string. Throws std::runtime_error for what JSON cannot say: NaN and infinity,
/// strings that are not UTF-8, nameless values among named ones.
class JsonSaveArchive
    : public cereal::OutputArchive<JsonSaveArchive, cereal::AllowEmptyClassElision> {
  public:
    /// `json` must outlive the archive.
    explicit JsonSaveArchive(std::string& json) : OutputArchive(this), json_(json) {}

    // What cereal comes by, in order.
    void open() {
        before_value();
        nodes_.emplace_back();
    }
    void close();
    void name(const char* name);
    void sequence();
    /// An enumerator's name, or empty; it must live until then.
    void call_next_number(std::string_view name) { called_ = name; }

    void put(bool value);
    void put(std::uint64_t value);
    void put(std::int64_t value);
    void put(float value);
    void put(double value);
    void put(std::string_view value);

  private:
    // An object or array: which of them, the first thing in it decides.
    struct Node {
        bool named = false;
        bool listed = false;
        bool empty = true;
    };

    void before_value();
    void separate(Node& node);
    template <class Number>
    void put_number(Number value);
    template <class Number>
    void put_called(Number value);
    template <class Number>
    void put_finite(Number value);

    std::string& json_;
    std::vector<Node> nodes_;
    bool after_name_ = false;
    std::string_view called_;
};

// What cereal calls for each kind of value, found by argument-dependent lookup.

template <class T>
void prologue(JsonSaveArchive& archive, [[maybe_unused]] const T& value) {
    if constexpr (detail::is_json_node_v<T, JsonSaveArchive> && !detail::JsonMinimal<T>) {
        archive.open();
    } else if constexpr (NamedEnum<T>) {
        archive.call_next_number(isotick_enum_name(value));
    }
}

template <class T>
void epilogue(JsonSaveArchive& archive, const T&) {
    if constexpr (detail::is_json_node_v<T, JsonSaveArchive> && !detail::JsonMinimal<T>) {
        archive.close();
    }
}

template <class T, cereal::traits::EnableIf<std::is_arithmetic_v<T>> = cereal::traits::sfinae>
void CEREAL_SAVE_FUNCTION_NAME(JsonSaveArchive& archive, const T& value) {
    static_assert(!std::is_same_v<T, long double>, "long double has no portable text");
    if constexpr (std::is_same_v<T, bool> || std::is_floating_point_v<T>) {
        archive.put(value);
    } else if constexpr (std::is_signed_v<T>) {
        archive.put(static_cast<std::int64_t>(value));
    } else {
        archive.put(static_cast<std::uint64_t>(value));
    }
}

inline void CEREAL_SAVE_FUNCTION_NAME(JsonSaveArchive& archive, const std::string& value) {
    archive.put(std::string_view(value));
}

template <class T>
void CEREAL_SERIALIZE_FUNCTION_NAME(JsonSaveArchive& archive, cereal::NameValuePair<T>& pair) {
    archive.name(pair.name);
    archive(pair.value);
}

template <class T>
void CEREAL_SERIALIZE_FUNCTION_NAME(JsonSaveArchive& archive, cereal::SizeTag<T>&) {
    archive.sequence();
}

}  // namespace isotick::core

// A cereal input archive that reads what JsonSaveArchive writes, and people.

namespace isotick::core {

/// Reads one value out of a parsed document. Members may stand in any order, and those left out
/// keep their default; but none may be unknown or of another type, nor a number out of its type's
/// range: a std::runtime_error then names the path: `orders[2].x: 70000 is not a whole number from
/// 0 to 65535`. Containers grow by as many elements as the document has.
class JsonLoadArchive
    : public cereal::InputArchive<JsonLoadArchive, cereal::AllowEmptyClassElision> {
  public:
    /// `document` must outlive the archive.
    explicit JsonLoadArchive(const JsonValue& document) : InputArchive(this), document_(document) {}

    // What cereal asks for, in order.
    void open();
    void close();
    /// Whether there is such a member; where not, the value stays what it is.
    [[nodiscard]] bool name(const char* name);
    [[nodiscard]] std::size_t sequence();

    [[nodiscard]] bool boolean();
    [[nodiscard]] std::uint64_t whole(std::uint64_t most);
    [[nodiscard]] std::int64_t whole(std::int64_t least, std::int64_t most);
    [[nodiscard]] float real(float);
    [[nodiscard]] double real(double);
    [[nodiscard]] const std::string& string();

    /// The number of the enumerator called so.
    using FindEnumerator = std::optional<std::int64_t> (*)(std::string_view name);
    /// The next number may be given as one of these names.
    void next_may_be_named(FindEnumerator find) { find_ = find; }

  private:
    struct Node {
        const JsonValue* value;
        std::vector<bool> taken;   // of its members
        std::size_t next = 0;      // element, where it is read without names
        std::string_view current;  // name of the member being read, where there is one
        bool named = false;
    };

    [[noreturn]] void refuse(const std::string& what) const;
    // The number that a string stands for; none if `value` is no string.
    [[nodiscard]] std::optional<std::int64_t> enumerator(const JsonValue& value);
    // The next value to be read, which is then read.
    [[nodiscard]] const JsonValue& take();
    [[nodiscard]] const JsonValue& take(JsonValue::Kind kind);
    template <class Number>
    [[nodiscard]] Number real_number();

    const JsonValue& document_;
    std::vector<Node> nodes_;
    const JsonValue* named_ = nullptr;  // the value behind the name that was asked for
    FindEnumerator find_ = nullptr;
};

// What cereal calls for each kind of value, found by argument-dependent lookup.

namespace detail {

// The number of the enumerator called `name`, among those whose numbers are small.
template <NamedEnum E>
std::optional<std::int64_t> find_enumerator(std::string_view name) {
    using Number = std::underlying_type_t<E>;
    constexpr std::int64_t kLargest = 1023;
    constexpr auto kMost = static_cast<std::uint64_t>(std::numeric_limits<Number>::max());
    for (std::int64_t number = 0; number <= kLargest; ++number) {
        if (static_cast<std::uint64_t>(number) > kMost) {
            break;
        }
        if (std::string_view(isotick_enum_name(static_cast<E>(number))) == name) {
            return number;
        }
    }
    return std::nullopt;
}

}  // namespace detail

template <class T>
void prologue(JsonLoadArchive& archive, const T&) {
    if constexpr (detail::is_json_node_v<T, JsonLoadArchive> && !detail::JsonMinimal<T>) {
        archive.open();
    } else if constexpr (NamedEnum<T>) {
        archive.next_may_be_named(&detail::find_enumerator<T>);
    }
}

template <class T>
void epilogue(JsonLoadArchive& archive, const T&) {
    if constexpr (detail::is_json_node_v<T, JsonLoadArchive> && !detail::JsonMinimal<T>) {
        archive.close();
    }
}

template <class T, cereal::traits::EnableIf<std::is_arithmetic_v<T>> = cereal::traits::sfinae>
void CEREAL_LOAD_FUNCTION_NAME(JsonLoadArchive& archive, T& value) {
    if constexpr (std::is_same_v<T, bool>) {
        value = archive.boolean();
    } else if constexpr (std::is_floating_point_v<T>) {
        value = archive.real(T{});
    } else if constexpr (std::is_signed_v<T>) {
        value = static_cast<T>(
            archive.whole(std::numeric_limits<T>::min(), std::numeric_limits<T>::max()));
    } else {
        value = static_cast<T>(archive.whole(std::uint64_t{std::numeric_limits<T>::max()}));
    }
}

inline void CEREAL_LOAD_FUNCTION_NAME(JsonLoadArchive& archive, std::string& value) {
    value = archive.string();
}

template <class T>
void CEREAL_SERIALIZE_FUNCTION_NAME(JsonLoadArchive& archive, cereal::NameValuePair<T>& pair) {
    if (archive.name(pair.name)) {
        archive(pair.value);
    }
}

template <class T>
void CEREAL_SERIALIZE_FUNCTION_NAME(JsonLoadArchive& archive, cereal::SizeTag<T>& tag) {
    tag.size = static_cast<std::decay_t<T>>(archive.sequence());
}

}  // namespace isotick::core

// Not registered with cereal: that would instantiate every polymorphic type of a state for JSON.
CEREAL_SETUP_ARCHIVE_TRAITS(isotick::core::JsonLoadArchive, isotick::core::JsonSaveArchive)
