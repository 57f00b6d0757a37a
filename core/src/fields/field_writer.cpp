#include <isotick/core/detail/fields/writer.hpp>

namespace isotick::core {

const char* number_name(FieldToken token) {
    switch (token) {
        case FieldToken::u8:
            return "u8";
        case FieldToken::u16:
            return "u16";
        case FieldToken::u32:
            return "u32";
        case FieldToken::u64:
            return "u64";
        case FieldToken::i8:
            return "i8";
        case FieldToken::i16:
            return "i16";
        case FieldToken::i32:
            return "i32";
        case FieldToken::i64:
            return "i64";
        case FieldToken::f32:
            return "f32";
        case FieldToken::f64:
            return "f64";
        case FieldToken::boolean:
            return "bool";
        default:
            return "";
    }
}

std::string fixed_name(FieldToken token, unsigned fraction_bits) {
    return number_name(token) + std::string("/2^") + std::to_string(fraction_bits);
}

void FieldWriter::name_slowly(const char* name) {
    const std::string_view text(name);
    auto known = numbers_.find(text);
    if (known == numbers_.end()) {
        if (numbers_.size() == kMostFieldNames) {
            put_text(FieldToken::long_name, text);
            return;
        }
        put_text(FieldToken::new_name, text);
        known = numbers_.emplace(text, static_cast<std::uint32_t>(numbers_.size())).first;
    } else {
        put_counted(FieldToken::name, known->second);
    }
    cache_[slot(name)] = {name, known->first, known->second};
}

}  // namespace isotick::core
