#pragma once
// Walks through a field stream value by value, for those who look for something in it.

#include "field_path.hpp"

#include <cstddef>
#include <cstdint>
#include <span>

namespace isotick::core {

/// The elements of a container that are worth looking at: from `first` up to `end`.
struct ElementRange {
    std::uint64_t first = 0;
    std::uint64_t end = 0;
};

/// The walk; a Visitor derives from it and says what it looks for. It offers (and leaves out what
/// is as below)
///
///     void arrive()                      at a value, to which path() leads
///     bool enter()                       a step was added to path(): false skips what it leads to
///     void leave()                       … is taken away again; only where enter() was true
///     ElementRange elements(FieldToken container, std::uint64_t count)   those to enter(), of
///                                        `count`; `container` is a number's type in an array
///     bool number(FieldToken type, const std::byte* bytes)   true ends the walk
///     bool other(FieldToken token)       a value without elements: must read it from cursor()
///     bool empty(FieldToken container)   one without elements
///
/// and kLooksAtKeys: whether the keys of maps and entities are walked through as well.
template <class Visitor>
class FieldSearch {
  public:
    explicit FieldSearch(std::span<const std::byte> fields) : cursor_(FieldBytes(fields)) {}

    /// False where the visitor ended the walk, with path() where it did; else the whole stream was
    /// read. Throws FieldDamage where the stream breaks the format.
    bool walk() {
        if (value(0)) {
            return false;
        }
        cursor_.expect_end();
        return true;
    }

    void arrive() {}
    bool enter() { return true; }
    void leave() {}
    bool other(FieldToken /*token*/) {
        cursor_.skip_value();
        return false;
    }
    bool empty(FieldToken /*container*/) { return false; }

  protected:
    [[nodiscard]] FieldCursor& cursor() { return cursor_; }
    [[nodiscard]] const FieldPath& path() const { return path_; }

  private:
    [[nodiscard]] Visitor& visitor() { return static_cast<Visitor&>(*this); }

    // Reads the value that comes next; true where the visitor has had enough.
    bool value(int depth) {
        if (depth > FieldCursor::kDeepest) {
            cursor_.damaged("values are nested too deeply");
        }
        const FieldToken token = cursor_.peek();
        visitor().arrive();
        switch (token) {
            case FieldToken::object:
                return object(depth);
            case FieldToken::sequence:
            case FieldToken::map:
            case FieldToken::entities:
                return elements(token, depth);
            case FieldToken::array:
                return array();
            case FieldToken::alternative:
                cursor_.take();
                cursor_.varint();
                return value(depth + 1);
            case FieldToken::shared:
                cursor_.take();
                return value(depth + 1);
            default:
                return number_size(token) == 0 ? visitor().other(token) : number(cursor_.take());
        }
    }

    bool number(FieldToken type) {
        const std::uint32_t size = number_size(type);
        const bool enough = visitor().number(type, cursor_.at(cursor_.offset(), size));
        cursor_.skip(size);
        return enough;
    }

    // The value behind the step that was just added.
    bool behind_step(int depth) {
        if (!visitor().enter()) {
            cursor_.skip_value();
            return false;
        }
        if (value(depth + 1)) {
            return true;
        }
        visitor().leave();
        return false;
    }

    bool object(int depth) {
        cursor_.take();
        std::uint64_t place = 0;
        for (; cursor_.peek() != FieldToken::close; ++place) {
            const std::uint64_t start = cursor_.offset();
            if (cursor_.name().empty()) {
                path_.push_place(place);
            } else {
                path_.push_name(cursor_, start);
            }
            if (behind_step(depth)) {
                return true;
            }
            path_.pop();
        }
        cursor_.take();
        return place == 0 && visitor().empty(FieldToken::object);
    }

    // Of sequences, maps and entities.
    bool elements(FieldToken token, int depth) {
        cursor_.take();
        const std::uint64_t name_at = cursor_.offset();
        if (token == FieldToken::entities) {
            cursor_.run();
        }
        const unsigned values = token == FieldToken::sequence ? 1 : 2;  // in an element
        const std::uint64_t count = cursor_.count(values);
        const ElementRange wanted = visitor().elements(token, count);
        for (std::uint64_t i = 0; i < count; ++i) {
            if (i < wanted.first || i >= wanted.end) {
                cursor_.skip_value();
                if (values == 2) {
                    cursor_.skip_value();
                }
                continue;
            }
            push_element(token, i, name_at);
            if (Visitor::kLooksAtKeys && values == 2 && value(depth + 1)) {
                return true;
            }
            if (!Visitor::kLooksAtKeys && values == 2) {
                cursor_.skip_value();
            }
            if (behind_step(depth)) {
                return true;
            }
            path_.pop();
        }
        return count == 0 && visitor().empty(token);
    }

    void push_element(FieldToken token, std::uint64_t index, std::uint64_t name_at) {
        if (token == FieldToken::sequence) {
            path_.push_index(index);
        } else if (token == FieldToken::map) {
            path_.push_key(cursor_, cursor_.offset());
        } else {
            path_.push_entity(cursor_, cursor_.offset(), name_at);
        }
    }

    bool array() {
        cursor_.take();
        const FieldToken type = cursor_.number_type();
        const std::uint32_t size = number_size(type);
        const std::uint64_t count = cursor_.count(size);
        const std::uint64_t end = cursor_.offset() + size * count;
        const ElementRange wanted = visitor().elements(type, count);
        path_.push_index(0);
        cursor_.skip(size * wanted.first);
        for (std::uint64_t i = wanted.first; i < wanted.end; ++i) {
            path_.set_index(i);
            const bool wants = visitor().enter();
            if (wants && number(type)) {
                return true;
            }
            wants ? visitor().leave() : cursor_.skip(size);
        }
        path_.pop();
        cursor_.seek(end);
        return count == 0 && visitor().empty(FieldToken::array);
    }

    FieldCursor cursor_;
    FieldPath path_;
};

}  // namespace isotick::core
