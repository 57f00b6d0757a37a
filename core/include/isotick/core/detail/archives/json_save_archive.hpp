#pragma once
// A cereal output archive that writes one value as JSON: what has names becomes an object, other
// sequences become arrays.

#include <isotick/core/detail/fields/field_traits.hpp>
#include <isotick/core/detail/text/json.hpp>

#include <concepts>
#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include <cereal/cereal.hpp>

namespace isotick::core {

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
