#include "field_path.hpp"

#include <isotick/core/fields.hpp>
#include <isotick/core/hashing/types.hpp>

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

/// Walks through a field stream until it comes to a NaN.
class NanFinder {
  public:
    explicit NanFinder(std::span<const std::byte> fields) : cursor_(FieldBytes(fields)) {}

    std::optional<std::string> run() {
        if (value(0)) {
            return path_.text();
        }
        cursor_.expect_end();
        return std::nullopt;
    }

  private:
    // Reads the value that comes next; true where it holds a NaN, to which path_ then leads.
    bool value(int depth) {
        if (depth > FieldCursor::kDeepest) {
            cursor_.damaged("values are nested too deeply");
        }
        const FieldToken token = cursor_.peek();
        switch (token) {
            case FieldToken::object:
                return object(depth);
            case FieldToken::sequence:
                return sequence(depth);
            case FieldToken::map:
            case FieldToken::entities:
                return keyed(token, depth);
            case FieldToken::array:
                return array();
            case FieldToken::alternative:
                cursor_.take();
                static_cast<void>(cursor_.varint());
                return value(depth + 1);
            case FieldToken::shared:
                cursor_.take();
                return value(depth + 1);
            case FieldToken::f32:
            case FieldToken::f64:
                cursor_.take();
                return number(token);
            default:
                cursor_.skip_value();
                return false;
        }
    }

    bool number(FieldToken type) {
        const std::uint32_t size = number_size(type);
        const bool found = is_nan(type, cursor_.at(cursor_.offset(), size));
        cursor_.skip(size);
        return found;
    }

    bool object(int depth) {
        cursor_.take();
        for (std::uint64_t place = 0; cursor_.peek() != FieldToken::close; ++place) {
            const std::uint64_t start = cursor_.offset();
            if (cursor_.name().empty()) {
                path_.push_place(place);
            } else {
                path_.push_name(cursor_, start);
            }
            if (value(depth + 1)) {
                return true;
            }
            path_.pop();
        }
        cursor_.take();
        return false;
    }

    bool sequence(int depth) {
        cursor_.take();
        const std::uint64_t count = cursor_.count(1);
        path_.push_index(0);
        for (std::uint64_t i = 0; i < count; ++i) {
            path_.set_index(i);
            if (value(depth + 1)) {
                return true;
            }
        }
        path_.pop();
        return false;
    }

    bool keyed(FieldToken token, int depth) {
        cursor_.take();
        const std::uint64_t name_at = cursor_.offset();
        if (token == FieldToken::entities) {
            cursor_.run();
        }
        const std::uint64_t count = cursor_.count(2);
        for (std::uint64_t i = 0; i < count; ++i) {
            if (token == FieldToken::entities) {
                path_.push_entity(cursor_, cursor_.offset(), name_at);
            } else {
                path_.push_key(cursor_, cursor_.offset());
            }
            if (value(depth + 1) || value(depth + 1)) {
                return true;
            }
            path_.pop();
        }
        return false;
    }

    bool array() {
        cursor_.take();
        const FieldToken type = cursor_.number_type();
        const std::uint32_t size = number_size(type);
        const std::uint64_t count = cursor_.count(size);
        if (type != FieldToken::f32 && type != FieldToken::f64) {
            cursor_.skip(size * count);
            return false;
        }
        path_.push_index(0);
        for (std::uint64_t i = 0; i < count; ++i) {
            path_.set_index(i);
            if (number(type)) {
                return true;
            }
        }
        path_.pop();
        return false;
    }

    FieldCursor cursor_;
    FieldPath path_;
};

}  // namespace

Result<std::optional<std::string>> find_nan_field(std::span<const std::byte> fields) {
    try {
        return NanFinder(fields).run();
    } catch (const FieldDamage& damage) {
        auto failed = fail(ErrorCode::damaged, damage.what());
        failed.value().offset = damage.offset();
        return failed;
    }
}

}  // namespace isotick::core
