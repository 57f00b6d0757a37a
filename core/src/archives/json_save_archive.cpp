#include <isotick/core/detail/archives/json_save_archive.hpp>

#include <array>
#include <charconv>
#include <cmath>
#include <stdexcept>
#include <utility>

namespace isotick::core {

void JsonSaveArchive::separate(Node& node) {
    if (!node.empty) {
        json_ += ',';
    } else {
        json_ += node.named ? '{' : '[';
    }
    node.empty = false;
}

// A value without a name is the document, the value behind a name, or an element.
void JsonSaveArchive::before_value() {
    if (after_name_ || nodes_.empty()) {
        after_name_ = false;
        return;
    }
    sequence();
    separate(nodes_.back());
}

void JsonSaveArchive::name(const char* name) {
    if (nodes_.empty() || nodes_.back().listed) {
        throw std::runtime_error(std::string("'") + name + "' is a named value among nameless");
    }
    nodes_.back().named = true;
    separate(nodes_.back());
    append_json_string(json_, name);
    json_ += ':';
    after_name_ = true;
}

void JsonSaveArchive::sequence() {
    if (nodes_.empty() || nodes_.back().named) {
        throw std::runtime_error("a value without a name among named ones");
    }
    nodes_.back().listed = true;
}

void JsonSaveArchive::close() {
    const Node node = nodes_.back();
    nodes_.pop_back();
    if (node.empty) {
        json_ += node.listed ? "[]" : "{}";
    } else {
        json_ += node.named ? '}' : ']';
    }
}

void JsonSaveArchive::put(bool value) {
    before_value();
    json_ += value ? "true" : "false";
}

// Shortest text that reads back to the same bits.
template <class Number>
void JsonSaveArchive::put_number(Number value) {
    before_value();
    std::array<char, 32> text;
    const auto [end, error] = std::to_chars(text.data(), text.data() + text.size(), value);
    json_.append(text.data(), end);
}

template <class Number>
void JsonSaveArchive::put_called(Number value) {
    if (called_.empty()) {
        put_number(value);
    } else {
        put(std::exchange(called_, {}));
    }
}

void JsonSaveArchive::put(std::uint64_t value) {
    put_called(value);
}

void JsonSaveArchive::put(std::int64_t value) {
    put_called(value);
}

template <class Number>
void JsonSaveArchive::put_finite(Number value) {
    if (!std::isfinite(value)) {
        throw std::runtime_error("JSON has no NaN and no infinity");
    }
    put_number(value);
}

void JsonSaveArchive::put(float value) {
    put_finite(value);
}

void JsonSaveArchive::put(double value) {
    put_finite(value);
}

void JsonSaveArchive::put(std::string_view value) {
    if (!is_utf8(value)) {
        throw std::runtime_error("a string is not UTF-8");
    }
    before_value();
    append_json_string(json_, value);
}

}  // namespace isotick::core
