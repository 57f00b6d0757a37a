#include <isotick/core/input_text.hpp>

#include <stdexcept>

namespace isotick::core::detail {

isotick_sink into(std::vector<std::uint8_t>& bytes) {
    return {&bytes, [](void* context, const void* data, std::uint64_t size) -> std::int32_t {
                auto& to = *static_cast<std::vector<std::uint8_t>*>(context);
                const auto* first = static_cast<const std::uint8_t*>(data);
                to.insert(to.end(), first, first + size);
                return ISOTICK_OK;
            }};
}

void refuse_rest(std::size_t left) {
    if (left != 0) {
        throw std::runtime_error(std::to_string(left) + " bytes too many");
    }
}

}  // namespace isotick::core::detail
