// What is found by a name or key: members of objects, elements of maps, entities.

#include "../field_stride.hpp"
#include "comparison.hpp"

#include <isotick/core/hash.hpp>

#include <algorithm>
#include <cstring>

namespace isotick::core {
namespace {

std::uint64_t hash_text(std::string_view text) {
    return hash_bytes(std::as_bytes(std::span(text)));
}

}  // namespace

void Comparison::objects() {
    for (std::uint64_t place = 0;; ++place) {
        const std::uint64_t before_at = before_.offset();
        const std::uint64_t after_at = after_.offset();
        const bool before_ends = before_.peek() == FieldToken::close;
        const bool after_ends = after_.peek() == FieldToken::close;
        if (before_ends && after_ends) {
            break;
        }
        if (before_ends || after_ends || before_.name() != after_.name()) {
            before_.seek(before_at);
            after_.seek(after_at);
            std::vector<Child> before = rest_of_object(before_, place);
            std::vector<Child> after = rest_of_object(after_, place);
            match(before, after, {FieldToken::object});
            break;
        }
        if (before_.offset() == before_at) {
            path_.push_place(place);
        } else {
            path_.push_name(before_, before_at);
        }
        values();
        path_.pop();
    }
    before_.take();
    after_.take();
}

std::vector<Comparison::Child> Comparison::rest_of_object(FieldCursor& cursor,
                                                          std::uint64_t place) {
    std::vector<Child> children;
    for (; cursor.peek() != FieldToken::close; ++place) {
        const std::uint64_t name_at = cursor.offset();
        const std::string_view name = cursor.name();
        const std::uint64_t key = name.empty() ? place : hash_text(name);
        children.push_back({key, name_at, cursor.offset(), place, false});
        cursor.skip_value();
    }
    return children;
}

void Comparison::keyed(FieldToken token) {
    Kind kind{token};
    if (token == FieldToken::entities) {
        kind.before_name = before_.offset();
        kind.after_name = after_.offset();
        constexpr std::size_t kLongest = 1000;
        if (before_.copy(before_.run(), kLongest) != after_.copy(after_.run(), kLongest)) {
            keyed_otherwise(kind);
            return;
        }
    }
    std::uint64_t before_left = before_.count(2);
    std::uint64_t after_left = after_.count(2);
    FieldStride stride;
    while (before_left != 0 && after_left != 0) {
        const Child child{0, before_.offset(), 0, 0, false};
        const std::uint64_t after_at = after_.offset();
        if (!keys_are_equal()) {
            before_.seek(child.key_at);
            after_.seek(after_at);
            break;
        }
        push(before_, child, kind);
        values();
        path_.pop();
        stride.learn(before_, after_, child.key_at, 2);
        const std::uint64_t passed =
            stride.pass(before_, after_, std::min(before_left, after_left) - 1);
        before_left -= 1 + passed;
        after_left -= 1 + passed;
    }
    if (before_left != 0 || after_left != 0) {
        std::vector<Child> before = rest_of_keyed(before_, before_left);
        std::vector<Child> after = rest_of_keyed(after_, after_left);
        match(before, after, kind);
    }
}

// Entities that are known by one member on one side and by another on the other.
void Comparison::keyed_otherwise(const Kind& kind) {
    changed(kind.before_name - 1, kind.after_name - 1, 0, "their keys are different members");
    before_.seek(kind.before_name - 1);
    after_.seek(kind.after_name - 1);
    before_.skip_value();
    after_.skip_value();
}

// Reads a key from both.
bool Comparison::keys_are_equal() {
    const std::uint64_t before_at = before_.offset();
    const std::uint64_t after_at = after_.offset();
    const std::uint32_t size = number_size(before_.peek());
    if (size != 0 && std::memcmp(before_.at(before_at, size + 1), after_.at(after_at, size + 1),
                                 size + 1) == 0) {
        before_.skip(size + 1);
        after_.skip(size + 1);
        return true;
    }
    return hash_value(before_) == hash_value(after_);
}

std::vector<Comparison::Child> Comparison::rest_of_keyed(FieldCursor& cursor, std::uint64_t count) {
    std::vector<Child> children;
    for (std::uint64_t i = 0; i < count; ++i) {
        const std::uint64_t key_at = cursor.offset();
        const std::uint64_t key = hash_value(cursor);
        children.push_back({key, key_at, cursor.offset(), i, false});
        cursor.skip_value();
    }
    return children;
}

void Comparison::push(FieldCursor& cursor, const Child& child, const Kind& kind) {
    if (kind.token == FieldToken::map) {
        path_.push_key(cursor, child.key_at);
    } else if (kind.token == FieldToken::entities) {
        path_.push_entity(cursor, child.key_at,
                          &cursor == &before_ ? kind.before_name : kind.after_name);
    } else if (child.key_at == child.value_at) {
        path_.push_place(child.place);
    } else {
        path_.push_name(cursor, child.key_at);
    }
}

// Compares the children that both sides have and reports the others. The cursors stay.
void Comparison::match(std::vector<Child>& before, std::vector<Child>& after, const Kind& kind) {
    const std::uint64_t before_end = before_.offset();
    const std::uint64_t after_end = after_.offset();
    std::vector<std::size_t> by_key(after.size());
    for (std::size_t i = 0; i < by_key.size(); ++i) {
        by_key[i] = i;
    }
    std::stable_sort(by_key.begin(), by_key.end(),
                     [&](std::size_t a, std::size_t b) { return after[a].key < after[b].key; });
    for (const Child& child : before) {
        auto place =
            std::lower_bound(by_key.begin(), by_key.end(), child.key,
                             [&](std::size_t i, std::uint64_t key) { return after[i].key < key; });
        while (place != by_key.end() && after[*place].key == child.key && after[*place].used) {
            ++place;
        }
        if (place == by_key.end() || after[*place].key != child.key) {
            only(before_, child, kind);
            continue;
        }
        after[*place].used = true;
        before_.seek(child.value_at);
        after_.seek(after[*place].value_at);
        push(before_, child, kind);
        values();
        path_.pop();
    }
    for (const Child& child : after) {
        if (!child.used) {
            only(after_, child, kind);
        }
    }
    before_.seek(before_end);
    after_.seek(after_end);
}

}  // namespace isotick::core
