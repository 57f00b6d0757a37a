#pragma once
// Paths of fields, patterns of them, and what is missing where none matches.

#include "field_text.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace isotick::core {

// The steps of a path that somebody wrote: `units[17].velocity.y`.

/// Where the step that begins at `begin` ends: a name after its dot, if it has one, before the next
/// dot or bracket; an element behind its `]`. npos where a bracket is not closed. Keys may hold
/// dots and brackets of their own, since those in quotes end at the quote.
[[nodiscard]] std::size_t step_end(std::string_view path, std::size_t begin);

/// Whether a step may begin, or the path end, at `at`.
[[nodiscard]] inline bool is_step_boundary(std::string_view path, std::size_t at) {
    return at == path.size() || path[at] == '.' || path[at] == '[';
}

// The path to a place in a field stream, made into text only when somebody asks.

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

// Why a path leads nowhere: how far it came, and what there is instead.

/// Remembers the place at which most of a pattern was behind; of several the first, unless there is
/// nothing in it. `matched` is how many bytes of the pattern were behind.
class MissingStep {
  public:
    /// The walk came to a place beyond which the pattern goes on.
    void arrive(std::size_t matched, const FieldPath& path);
    /// It has so many elements.
    void elements(std::size_t matched, std::uint64_t count);
    /// It leads on by this step, which is not the pattern's.
    void other_step(std::size_t matched, const std::string& step);
    /// It holds nothing but this value.
    void value(std::size_t matched, std::string text);

    /// `there is no 'velocty' in units[17], which has id, velocity, mood`.
    [[nodiscard]] std::string text(std::string_view pattern) const;

  private:
    [[nodiscard]] bool is_here(std::size_t matched) const { return open_ && matched == matched_; }
    [[nodiscard]] std::string contents() const;

    std::size_t matched_ = 0;
    bool open_ = false;  // the walk is at the place
    std::string place_;
    std::vector<std::string> steps_;  // that lead on from it, the first few
    std::uint64_t steps_total_ = 0;
    std::optional<std::uint64_t> elements_;
    std::string value_;
};

}  // namespace isotick::core
