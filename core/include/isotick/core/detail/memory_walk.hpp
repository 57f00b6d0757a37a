#pragma once
// The memory that a walk over a state has seen.

#include <isotick/core/detail/archive_path.hpp>
#include <isotick/core/plugin.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <typeinfo>
#include <utility>
#include <vector>

#include <cereal/cereal.hpp>

namespace isotick::core {

// The paths of the values in a state, by class: `units[*].velocity.y` stands for all units.

/// One class of paths and those that begin with it. Made once each, so that equal ones have the
/// same text at the same address while the tree lives. Texts beyond 1,000 bytes end with `…` and
/// stand for all that would follow. Not thread-safe.
class MemoryPath {
  public:
    MemoryPath() = default;

    /// Empty for the root.
    [[nodiscard]] const char* text() const { return text_.c_str(); }

    /// The member `name` of what is here.
    MemoryPath& member(std::string_view name) { return next(name, true); }

    /// What is here, with `suffix` behind it, such as `[*]`; itself if that is empty.
    MemoryPath& with(std::string_view suffix) {
        return suffix.empty() ? *this : next(suffix, false);
    }

  private:
    static constexpr std::size_t kLongest = 1000;

    MemoryPath& next(std::string_view step, bool member);
    MemoryPath& add(std::string_view step, bool member);

    std::string text_;
    bool cut_ = false;
    std::size_t place_ = 0;   // among the paths that begin with the same
    std::size_t likely_ = 0;  // serialize visits the same members in the same order again
    std::map<std::string, MemoryPath, std::less<>> steps_;
    std::vector<std::map<std::string, MemoryPath, std::less<>>::iterator> in_order_;
};

}  // namespace isotick::core

namespace isotick::core::detail {

// What a walk through memory asks about types.

/// The type's name as C++ writes it, such as `reference::Unit`.
[[nodiscard]] std::string demangled(const std::type_info& type);

/// The same for T; lives as long as the program.
template <class T>
const char* type_name() {
    static const std::string name = demangled(typeid(T));
    return name.c_str();
}

/// Whether T belongs to the standard library.
template <class T>
bool is_standard() {
    static const bool standard = std::string_view(type_name<T>()).starts_with("std::");
    return standard;
}

// Made to learn where in memory a class ends whose base is T.
template <class T>
struct AfterBase : T {
    unsigned char next;

  protected:
    ~AfterBase() = default;
};

#if defined(__GNUC__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Winvalid-offsetof"
#endif
/// How many of the bytes of a T belong to it where it is a base: what derives from T may keep
/// members of its own in T's tail padding, and an empty base need not have any.
template <class T>
constexpr std::size_t size_as_base() {
    if constexpr (std::is_empty_v<T>) {
        return 0;
    } else {
        return offsetof(AfterBase<T>, next);
    }
}
#if defined(__GNUC__)
#pragma GCC diagnostic pop
#endif

/// How many bytes at the beginning of a T are no member's: the vtable pointer, and the byte that an
/// empty class has so that its objects have different addresses.
template <class T>
constexpr std::size_t size_added() {
    return std::is_polymorphic_v<T> ? sizeof(void*) : std::is_empty_v<T> ? 1 : 0;
}

// Classes of the standard library that are objects like the user's: they have members.
template <class T>
inline constexpr bool kHasMembers = false;
template <class A, class B>
inline constexpr bool kHasMembers<std::pair<A, B>> = true;
template <class... T>
inline constexpr bool kHasMembers<std::tuple<T...>> = true;

// Whether T is what cereal makes for its own purposes around values of the state.
template <class T>
inline constexpr bool kIsAround = is_wrapper_v<T>;
template <class K, class V>
inline constexpr bool kIsAround<cereal::MapItem<K, V>> = true;

// Numbers whose bytes are all value.
template <class T>
inline constexpr bool kIsPlainNumber = (std::is_arithmetic_v<T> &&
                                        !std::is_same_v<std::remove_cv_t<T>, long double>) ||
                                       std::is_enum_v<T>;

}  // namespace isotick::core::detail

namespace isotick::core {

// The way of a MemoryArchive through a state: where it is, and which memory it may show.

/// Reports to an isotick_memory_visitor. Every call may throw: std::length_error (nested too
/// deeply) and std::runtime_error (the visitor wants no more); the walk is over then.
///
/// An address is shown only where it lies in memory that is known to live as long as the state: in
/// the root, or in what containers and smart pointers own that lie in such memory. Whatever else
/// `serialize` visits may be gone when the call returns, and is shown without an address.
/// Not thread-safe.
class MemoryWalk {
  public:
    /// `visitor` must outlive the walk.
    explicit MemoryWalk(const isotick_memory_visitor& visitor) : visitor_(visitor) {}

    /// The class of paths that was reached.
    [[nodiscard]] const char* where() const {
        return frames_.empty() ? "" : frames_.back().path->text();
    }

    /// One more level of nesting, and one less.
    void enter();
    void leave() { --depth_; }

    /// `size` bytes at `memory` live as long as the state, until popped.
    void push_live(const void* memory, std::size_t size);
    void pop_live() { live_.pop_back(); }

    /// What the next value is called; `name` must live until then.
    void name(const char* name) { name_ = muted_ == 0 ? name : name_; }

    /// A value that is one piece.
    void leaf(const void* address, std::size_t size, bool settable);

    /// The elements, numbers in a row, of the innermost body or array.
    void numbers(const void* address, std::size_t size, bool settable);

    /// A struct; `type` must live as long as the program. Its first `added` bytes are the
    /// compiler's.
    void begin_object(const char* type, const void* address, std::size_t size, std::size_t added);
    void end_object();

    /// A struct that is a base of the one that was begun last: unless it has a name, its members
    /// are called as if they were that one's.
    void begin_base(const char* type, const void* address, std::size_t size, std::size_t added);
    void end_base();

    /// What is not a struct but holds values: a container, a pointer. Its own bytes are one value;
    /// those that it owns follow, their paths being its own and `suffix`. Not while muted.
    void begin_body(const void* address, std::size_t size, const char* suffix);
    /// Whether what the innermost body owns is known to live.
    [[nodiscard]] bool owns_living() const { return frames_.back().living; }
    void end_body() { frames_.pop_back(); }
    /// From here on, paths within the innermost body end so.
    void set_suffix(const char* suffix) { frames_.back().suffix = suffix; }

    /// A class of the standard library whose members are not known: one value, and those of its
    /// members that `serialize` visits where they are.
    void begin_opaque(const void* address, std::size_t size);
    void end_opaque();

    /// What is within has no names from here on, but is one of many: an object of a container type
    /// that is not of the standard library gives its size.
    void begin_elements();

    /// Values in a row that are no body of their own, such as those of an array. Ends with
    /// end_body.
    void begin_row();

    /// What follows is not settable: the order of a container depends on it.
    void begin_key() { ++keys_; }
    void end_key() { --keys_; }

    /// What follows says in other values what was shown already.
    void mute() { ++muted_; }
    [[nodiscard]] bool muted() const { return muted_ != 0; }
    void unmute() { --muted_; }
    /// Ends all muting until `restore` is given what this returned.
    [[nodiscard]] int unmute_all() { return std::exchange(muted_, 0); }
    void restore(int muted) { muted_ = muted; }

    /// Whether the innermost body, a pointer, shows a shared object for the first time. Kept alive
    /// with this, lest another takes its place; `type` tells it from its first member.
    [[nodiscard]] bool is_first_sight(std::shared_ptr<const void> object, const void* type);

  private:
    struct Frame {
        MemoryPath* path;
        const char* suffix;   // of the paths of values without a name; null: they have numbers
        const char* type;     // of an object, else null
        std::uint64_t done;   // how many values went before
        bool living;          // what it owns is known to live
        bool opaque = false;  // values without an address are but another view of it
    };
    struct Block {
        std::uintptr_t begin;
        std::uintptr_t end;
    };

    // Goes on to the next value.
    MemoryPath& step();
    MemoryPath& fold(MemoryPath& path, const char* type);
    // `address` if `size` bytes there are known to live, else null.
    [[nodiscard]] void* living(const void* address, std::size_t size) const;
    void open(const char* type, void* address, std::size_t size, std::size_t added);
    void close();
    void show(const char* path, void* address, std::size_t size, bool settable);

    const isotick_memory_visitor& visitor_;
    MemoryPath root_;
    std::vector<Frame> frames_;
    std::vector<Block> live_;
    const char* name_ = nullptr;
    int depth_ = 0;
    int keys_ = 0;
    int muted_ = 0;
    std::set<std::tuple<const void*, const void*, bool>> seen_;
    std::vector<std::shared_ptr<const void>> kept_;
};

}  // namespace isotick::core
