#include "input_words.hpp"

#include <utility>

namespace isotick::harness {

std::optional<TypedInput> typed_input(const InputWords& words, std::string_view json) {
    auto bytes = words.compose(json);
    auto text = bytes ? words.describe(*bytes) : std::nullopt;
    if (!text || (*text != json && words.compose(*text) != bytes)) {
        return std::nullopt;
    }
    return TypedInput{*std::move(text), *std::move(bytes)};
}

}  // namespace isotick::harness
