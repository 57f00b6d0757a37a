#pragma once
// Inputs as text that people can read and write: one JSON value for each.
//
//     struct Pad {
//         std::uint8_t buttons = 0;
//         std::int8_t x = 0;
//         template <class Archive> void serialize(Archive& archive) {
//             archive(CEREAL_NVP(buttons), CEREAL_NVP(x));
//         }
//     };
//     struct Pong {
//         using Input = Pad;  // players' inputs are bytes that write_input made:
//         {"buttons":3,"x":-7} void step(const Step& step) {
//             if (const auto bytes = step.inputs.of(0)) {
//                 const auto pad = isotick::core::read_input<Pad>(*bytes);
//             …
//
// Whose inputs are encoded otherwise has two static functions (simulation_type.hpp), perhaps made
// of to_json and from_json.

#include <isotick/core/detail/json.hpp>
#include <isotick/core/detail/json_archives.hpp>
#include <isotick/core/detail/load_archive.hpp>
#include <isotick/core/detail/save_archive.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace isotick::core {

namespace detail {

[[nodiscard]] isotick_sink into(std::vector<std::uint8_t>& bytes);
void refuse_rest(std::size_t left);

}  // namespace detail

/// Any value that cereal serializes, as JSON: fields by their names, enumerators too where a
/// function `isotick_enum_name` gives names to them. Throws for what JSON cannot say (NaN, strings
/// that are not UTF-8), and what the value's own code throws.
template <class T>
[[nodiscard]] std::string to_json(const T& value) {
    std::string json;
    JsonSaveArchive archive(json);
    archive(value);
    return json;
}

/// The value that `json` describes; members that are left out are as T's constructor makes them.
/// Throws a std::exception that says what is wrong and where; the text may be hostile.
template <class T>
[[nodiscard]] T from_json(std::string_view json) {
    const auto document = parse_json(json);
    if (!document) {
        throw std::runtime_error(describe(document.error()));
    }
    T value{};
    JsonLoadArchive archive(*document);
    archive(value);
    return value;
}

/// The bytes of `input` in an encoding that needs no further thought: its values in the order in
/// which `serialize` visits them, little-endian, without padding, the sizes of containers in eight
/// bytes. Throws what the input's own code throws.
template <class T>
[[nodiscard]] std::vector<std::uint8_t> write_input(const T& input) {
    std::vector<std::uint8_t> bytes;
    ByteWriter writer(detail::into(bytes));
    SaveArchive archive(writer);
    archive(input);
    writer.flush();
    return bytes;
}

/// The input that write_input wrote. Throws a std::exception for bytes that are none; they may be
/// hostile.
template <class T>
[[nodiscard]] T read_input(std::span<const std::uint8_t> bytes) {
    T input{};
    LoadArchive archive(std::as_bytes(bytes));
    archive(input);
    detail::refuse_rest(archive.reader().left());
    return input;
}

}  // namespace isotick::core
