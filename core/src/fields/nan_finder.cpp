#include "path/field_search.hpp"

#include <isotick/core/detail/fields/fields.hpp>
#include <isotick/core/detail/hashing/types.hpp>

#include <cstring>
#include <utility>

namespace isotick::core {
namespace {

template <class T>
bool is_nan_at(const std::byte* bytes) {
    detail::Bits<sizeof(T)> bits = 0;
    for (std::size_t i = 0; i < sizeof(T); ++i) {
        bits |= std::to_integer<detail::Bits<sizeof(T)>>(bytes[i]) << (8 * i);
    }
    return detail::is_nan_bits<T>(bits);
}

bool is_nan(FieldToken type, const std::byte* bytes) {
    return type == FieldToken::f32 ? is_nan_at<float>(bytes)
                                   : type == FieldToken::f64 && is_nan_at<double>(bytes);
}

/// Walks until it comes to a NaN.
class NanFinder : public FieldSearch<NanFinder> {
  public:
    static constexpr bool kLooksAtKeys = true;

    using FieldSearch::FieldSearch;

    std::optional<std::string> run() {
        return walk() ? std::nullopt : std::optional(path().text());
    }

    // `container` is the type of the numbers where it is an array of them.
    ElementRange elements(FieldToken container, std::uint64_t count) const {
        return number_size(container) == 0 || is_float(container) ? ElementRange{0, count}
                                                                  : ElementRange{};
    }
    bool number(FieldToken type, const std::byte* bytes) { return is_nan(type, bytes); }
};

}  // namespace

Result<std::optional<std::string>> find_nan_field(std::span<const std::byte> fields) {
    try {
        return NanFinder(fields).run();
    } catch (const FieldDamage& damage) {
        return failure(damage);
    }
}

}  // namespace isotick::core
