#include "real_text.hpp"

#include <isotick/core/detail/archives/json_load_archive.hpp>

#include <stdexcept>
#include <utility>

namespace isotick::core {
namespace {

using Kind = JsonValue::Kind;

template <class Number>
std::string range_text(const JsonValue& value, Number least, Number most) {
    return (value.kind == Kind::number ? value.text : std::string(to_string(value.kind))) +
           " is not a whole number from " + std::to_string(least) + " to " + std::to_string(most);
}

}  // namespace

void JsonLoadArchive::refuse(const std::string& what) const {
    std::string path;
    for (const Node& node : nodes_) {
        if (!node.current.empty()) {
            path += (path.empty() ? "" : ".") + std::string(node.current);
        } else if (!node.named && node.next > 0) {
            path += "[" + std::to_string(node.next - 1) + "]";
        }
    }
    throw std::runtime_error(path.empty() ? what : path + ": " + what);
}

const JsonValue& JsonLoadArchive::take() {
    if (named_ != nullptr) {
        return *std::exchange(named_, nullptr);
    }
    if (nodes_.empty()) {
        return document_;
    }
    Node& node = nodes_.back();
    if (node.value->kind != Kind::array) {
        refuse(std::string(to_string(node.value->kind)) + " where an array is wanted");
    }
    if (node.next == node.value->members.size()) {
        refuse("the array ends after " + std::to_string(node.next) + " elements, more are wanted");
    }
    return node.value->members[node.next++].value;
}

const JsonValue& JsonLoadArchive::take(Kind kind) {
    const JsonValue& value = take();
    if (value.kind != kind) {
        refuse(std::string(to_string(value.kind)) + " where " + std::string(to_string(kind)) +
               " is wanted");
    }
    return value;
}

void JsonLoadArchive::open() {
    const JsonValue& value = take();
    nodes_.push_back({&value, std::vector<bool>(value.members.size()), 0, {}, false});
}

bool JsonLoadArchive::name(const char* name) {
    Node& node = nodes_.back();
    node.named = true;
    node.current = {};
    if (node.value->kind != Kind::object) {
        refuse(std::string(to_string(node.value->kind)) + " where an object is wanted");
    }
    for (std::size_t i = 0; i < node.taken.size(); ++i) {
        const JsonMember& member = node.value->members[i];
        if (member.name == name) {
            node.taken[i] = true;
            node.current = name;
            named_ = &member.value;
        }
    }
    return named_ != nullptr;
}

std::size_t JsonLoadArchive::sequence() {
    const JsonValue& value = *nodes_.back().value;
    if (value.kind != Kind::array) {
        refuse(std::string(to_string(value.kind)) + " where an array is wanted");
    }
    return value.members.size();
}

void JsonLoadArchive::close() {
    Node& node = nodes_.back();
    node.current = {};
    const auto& members = node.value->members;
    if (node.value->kind == Kind::array && node.next < members.size()) {
        refuse("the array has " + std::to_string(members.size()) + " elements, but only " +
               std::to_string(node.next) + " are wanted");
    }
    if (node.value->kind == Kind::object) {
        for (std::size_t i = 0; i < members.size(); ++i) {
            if (!node.taken[i]) {
                refuse("\"" + members[i].name + "\" is unknown");
            }
        }
    }
    nodes_.pop_back();
}

bool JsonLoadArchive::boolean() {
    return take(Kind::boolean).truth;
}

std::optional<std::int64_t> JsonLoadArchive::enumerator(const JsonValue& value) {
    const FindEnumerator find = std::exchange(find_, nullptr);
    if (find == nullptr || value.kind != Kind::string) {
        return std::nullopt;
    }
    const auto number = value.text.empty() ? std::nullopt : find(value.text);
    if (!number) {
        refuse("there is no '" + value.text + "'");
    }
    return number;
}

std::uint64_t JsonLoadArchive::whole(std::uint64_t most) {
    const JsonValue& value = take();
    if (const auto named = enumerator(value)) {
        return static_cast<std::uint64_t>(*named);
    }
    const auto number = value.as_unsigned();
    if (!number || *number > most) {
        refuse(range_text(value, std::uint64_t{0}, most));
    }
    return *number;
}

std::int64_t JsonLoadArchive::whole(std::int64_t least, std::int64_t most) {
    const JsonValue& value = take();
    if (const auto named = enumerator(value)) {
        return *named;
    }
    const auto number = value.as_signed();
    if (!number || *number < least || *number > most) {
        refuse(range_text(value, least, most));
    }
    return *number;
}

template <class Number>
Number JsonLoadArchive::real_number() {
    const std::string& text = take(Kind::number).text;
    const auto number = real_from<Number>(text);
    if (!number) {
        refuse(text + " is out of range");
    }
    return *number;
}

float JsonLoadArchive::real(float) {
    return real_number<float>();
}

double JsonLoadArchive::real(double) {
    return real_number<double>();
}

const std::string& JsonLoadArchive::string() {
    return take(Kind::string).text;
}

}  // namespace isotick::core
