// Finds the fields that paths select, their digests, and NaNs.

#include "field_path.hpp"

#include <isotick/core/detail/field_selection.hpp>
#include <isotick/core/detail/fields.hpp>
#include <isotick/core/detail/hash_sink.hpp>
#include <isotick/core/hash.hpp>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <map>
#include <span>
#include <utility>

namespace isotick::core {

// Walks through a field stream value by value, for those who look for something in it.

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

namespace {

// A path without its indices and keys.
struct Node {
    std::string kind;
    std::map<std::string, std::size_t> members;
    std::size_t elements = 0;  // where they are; 0, the root: nowhere yet
    std::uint64_t digest = 0;
    bool has_fields = false;  // of its own, in any state so far
};

}  // namespace

struct FieldDigests::Tree {
    std::vector<Node> nodes = {Node()};
    std::vector<std::size_t> kinds;  // nodes in the order in which they first had fields

    std::size_t add(std::string kind) {
        nodes.push_back({std::move(kind), {}, 0, 0, false});
        return nodes.size() - 1;
    }

    std::size_t elements_of(std::size_t node) {
        if (nodes[node].elements == 0) {
            const std::size_t made = add(nodes[node].kind + "[*]");
            nodes[node].elements = made;
        }
        return nodes[node].elements;
    }

    std::size_t member_of(std::size_t node, const std::string& name) {
        if (const auto known = nodes[node].members.find(name); known != nodes[node].members.end()) {
            return known->second;
        }
        const std::string& kind = nodes[node].kind;
        const std::size_t made = add(kind.empty() ? name : kind + "." + name);
        nodes[node].members.emplace(name, made);
        return made;
    }

    // Mixes a number into a node's digest, which then is not 0.
    void mix(std::size_t node, std::uint64_t number) {
        if (!std::exchange(nodes[node].has_fields, true)) {
            kinds.push_back(node);
        }
        std::uint64_t& digest = nodes[node].digest;
        std::uint64_t mixed = (digest ^ number) + 0x9e3779b97f4a7c15U;  // SplitMix64
        mixed = (mixed ^ (mixed >> 30U)) * 0xbf58476d1ce4e5b9U;
        mixed = (mixed ^ (mixed >> 27U)) * 0x94d049bb133111ebU;
        digest = std::max<std::uint64_t>(mixed ^ (mixed >> 31U), 1);
    }
};

namespace {

/// Walks through one state.
template <class Tree>
class Digesting : public FieldSearch<Digesting<Tree>> {
  public:
    static constexpr bool kLooksAtKeys = true;

    Digesting(std::span<const std::byte> fields, Tree& tree)
        : FieldSearch<Digesting<Tree>>(fields), tree_(tree) {}

    bool enter() {
        const auto& path = this->path();
        at_.push_back(path.ends_at_element() ? tree_.elements_of(at_.back())
                                             : tree_.member_of(at_.back(), path.last()));
        return true;
    }
    void leave() { at_.pop_back(); }

    ElementRange elements(FieldToken container, std::uint64_t count) {
        mix(container, count);
        return {0, count};
    }

    bool number(FieldToken type, const std::byte* bytes) {
        std::uint64_t value = 0;
        for (std::uint32_t i = 0; i < number_size(type); ++i) {
            value |= std::to_integer<std::uint64_t>(bytes[i]) << (8 * i);
        }
        mix(type, value);
        return false;
    }

    bool other(FieldToken token) {
        mix(token, hash_value(this->cursor()));
        return false;
    }

    bool empty(FieldToken container) {
        mix(container, 0);
        return false;
    }

  private:
    void mix(FieldToken token, std::uint64_t number) {
        tree_.mix(at_.back(), static_cast<std::uint64_t>(token));
        tree_.mix(at_.back(), number);
    }

    Tree& tree_;
    std::vector<std::size_t> at_ = {0};
};

}  // namespace

FieldDigests::FieldDigests() : tree_(std::make_unique<Tree>()) {}
FieldDigests::~FieldDigests() = default;
FieldDigests::FieldDigests(FieldDigests&&) noexcept = default;
FieldDigests& FieldDigests::operator=(FieldDigests&&) noexcept = default;

Result<void> FieldDigests::take(std::span<const std::byte> fields) {
    for (Node& node : tree_->nodes) {
        node.digest = 0;
    }
    try {
        Digesting<Tree>(fields, *tree_).walk();
        return {};
    } catch (const FieldDamage& damage) {
        return failure(damage);
    }
}

std::size_t FieldDigests::kinds() const {
    return tree_->kinds.size();
}

const std::string& FieldDigests::kind(std::size_t number) const {
    return tree_->nodes[tree_->kinds[number]].kind;
}

std::uint64_t FieldDigests::digest(std::size_t number) const {
    return tree_->nodes[tree_->kinds[number]].digest;
}

namespace {

using Take = std::function<void(const SelectedField&)>;

const char* type_name(FieldToken token) {
    switch (token) {
        case FieldToken::object:
            return "object";
        case FieldToken::sequence:
            return "sequence";
        case FieldToken::map:
            return "map";
        case FieldToken::entities:
            return "entities";
        case FieldToken::array:
            return "array";
        case FieldToken::none:
            return "none";
        case FieldToken::reference:
            return "reference";
        case FieldToken::text:
            return "text";
        case FieldToken::bytes:
            return "bytes";
        case FieldToken::named:
            return "named number";
        case FieldToken::fixed:
            return "fixed-point number";
        default:
            return number_name(token);
    }
}

std::string plain_text(FieldCursor& cursor) {
    constexpr std::size_t kMoreThanShown = 100;
    cursor.take();
    return name_text(cursor.copy(cursor.run(), kMoreThanShown));
}

/// Follows a pattern into a state. A path is meant where the pattern begins with its text, so that
/// names and keys may hold any characters.
class Selector : public FieldSearch<Selector> {
  public:
    static constexpr bool kLooksAtKeys = false;

    Selector(std::span<const std::byte> fields, std::string_view pattern, const Take& take)
        : FieldSearch(fields), pattern_(pattern), take_(take) {}

    FieldSelection run() {
        walk();
        return {total_, total_ == 0 ? missing_.text(pattern_) : ""};
    }

    void arrive() {
        if (!is_meant()) {
            missing_.arrive(matched(), path());
        }
    }

    bool enter() {
        if (is_meant()) {
            matched_.push_back(matched());
            return true;
        }
        const std::size_t end = end_of_step();
        if (end == std::string_view::npos) {
            return false;
        }
        matched_.push_back(end);
        return true;
    }

    void leave() { matched_.pop_back(); }

    ElementRange elements(FieldToken container, std::uint64_t count) {
        missing_.elements(matched(), count);
        const bool has_keys = container == FieldToken::map || container == FieldToken::entities;
        if (is_meant() || has_keys || rest().starts_with("[*]")) {
            return {0, count};
        }
        std::uint64_t index = 0;
        const char* const end = pattern_.data() + pattern_.size();
        const bool is_index = rest().starts_with('[');
        const auto [read, error] = std::from_chars(rest().data() + (is_index ? 1 : 0), end, index);
        const bool is_number = is_index && error == std::errc() && read != end && *read == ']';
        return is_number && index < count ? ElementRange{index, index + 1} : ElementRange{};
    }

    bool number(FieldToken type, const std::byte* bytes) {
        if (is_meant()) {
            hand_out({path().text(), number_name(type), number_text(type, bytes),
                      is_float(type) ? bits_text(type, bytes) : ""});
        } else {
            missing_.arrive(matched(), path());  // elements of arrays are nowhere else announced
            missing_.value(matched(), number_text(type, bytes));
        }
        return false;
    }

    bool other(FieldToken token) {
        if (is_meant()) {
            hand_out({path().text(), type_name(token),
                      token == FieldToken::text ? plain_text(cursor()) : value_text(cursor()), ""});
        } else {
            missing_.value(matched(), value_text(cursor()));
        }
        return false;
    }

    bool empty(FieldToken container) {
        if (is_meant()) {
            const char* nothing = container == FieldToken::object ? "no members" : "0 elements";
            hand_out({path().text(), type_name(container), nothing, "", true});
        }
        return false;
    }

  private:
    // How much of the pattern is behind us; all of it: what comes is meant.
    [[nodiscard]] std::size_t matched() const { return matched_.back(); }
    [[nodiscard]] bool is_meant() const { return matched() == pattern_.size(); }
    [[nodiscard]] std::string_view rest() const { return pattern_.substr(matched()); }

    // Behind the step that path() ends with, where the pattern goes on with it; else npos.
    std::size_t end_of_step() {
        const bool is_element = path().ends_at_element();
        constexpr std::string_view kAny = "[*]";
        if (is_element && rest().starts_with(kAny)) {
            return matched() + kAny.size();
        }
        const std::string step = path().last();
        const bool dotted = !is_element && matched() != 0;
        const bool goes_on = dotted ? rest().starts_with('.') && rest().substr(1).starts_with(step)
                                    : rest().starts_with(step);
        const std::size_t end = matched() + (dotted ? 1 : 0) + step.size();
        if (goes_on && is_step_boundary(pattern_, end)) {
            return end;
        }
        missing_.other_step(matched(), step);
        return std::string_view::npos;
    }

    void hand_out(const SelectedField& field) {
        ++total_;
        take_(field);
    }

    std::string_view pattern_;
    const Take& take_;
    std::vector<std::size_t> matched_ = {0};
    std::uint64_t total_ = 0;
    MissingStep missing_;
};

}  // namespace

std::string value_of(const SelectedField& field) {
    const std::string value =
        field.type == type_name(FieldToken::text) ? "\"" + field.value + "\"" : field.value;
    return value + (field.bits.empty() ? "" : "  (" + field.bits + ")");
}

Result<FieldSelection> select_fields(std::span<const std::byte> fields, const FieldPattern& pattern,
                                     const Take& take) {
    try {
        return Selector(fields, pattern.text(), take).run();
    } catch (const FieldDamage& damage) {
        return failure(damage);
    }
}

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
