#pragma once
// The path to a place in a field stream, made into text only when somebody asks.

#include "../field_text.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace isotick::core {

/// Steps from the state down to a value.
class FieldPath {
  public:
    void push_name(FieldCursor& cursor, std::uint64_t at) {
        steps_.push_back({'n', &cursor, at, 0});
    }
    /// The k-th value of an object, which has no name.
    void push_place(std::uint64_t place) { steps_.push_back({'p', nullptr, place, 0}); }
    void push_index(std::uint64_t index) { steps_.push_back({'i', nullptr, index, 0}); }
    void push_key(FieldCursor& cursor, std::uint64_t at) {
        steps_.push_back({'k', &cursor, at, 0});
    }
    /// An entity, by its key at `at`; what the key is called is the text at `name_at`.
    void push_entity(FieldCursor& cursor, std::uint64_t at, std::uint64_t name_at) {
        steps_.push_back({'e', &cursor, at, name_at});
    }
    void set_index(std::uint64_t index) { steps_.back().at = index; }
    void pop() { steps_.pop_back(); }

    [[nodiscard]] std::size_t depth() const { return steps_.size(); }
    /// Whether the last step leads to an element: it stands in brackets.
    [[nodiscard]] bool ends_at_element() const {
        return steps_.back().kind != 'n' && steps_.back().kind != 'p';
    }

    /// The last step as in text(), without the dot: `velocity`, `[17]`.
    [[nodiscard]] std::string last() const { return step_text(steps_.back()); }

    /// `units[17].velocity.y`, cut to about 400 bytes. The cursors stay where they are.
    [[nodiscard]] std::string text() const;
    /// As text(), with `[*]` for each index and key.
    [[nodiscard]] std::string kind() const;
    /// The top-level name; `state` where there is none.
    [[nodiscard]] std::string part() const;

  private:
    struct Step {
        char kind;
        FieldCursor* cursor;
        std::uint64_t at;
        std::uint64_t name_at;
    };

    static std::string step_text(const Step& step);
    [[nodiscard]] std::string joined(bool as_kind) const;

    std::vector<Step> steps_;
};

}  // namespace isotick::core
