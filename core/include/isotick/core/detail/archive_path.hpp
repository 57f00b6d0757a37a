#pragma once
// The path of the value that an archive has reached.

#include <cstddef>
#include <cstdint>
#include <exception>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <cereal/cereal.hpp>

// Declared here because cereal's headers for pointers and base classes take long to compile. Who
// has such members includes those headers.
namespace cereal {
template <class Base>
struct base_class;
}
namespace cereal::memory_detail {
template <class T>
struct PtrWrapper;
template <class Archive, class T>
struct LoadAndConstructLoadWrapper;
}  // namespace cereal::memory_detail

namespace isotick::core::detail {

// The pair that cereal adds to a class for its version.

/// Whether a pair of this name whose value is a T is cereal's version of a class: not part of the
/// state.
template <class T>
[[nodiscard]] bool is_class_version([[maybe_unused]] const char* name) {
    if constexpr (std::is_same_v<std::remove_cvref_t<T>, std::uint32_t>) {
        return name[0] == 'c' && std::string_view(name) == "cereal_class_version";
    } else {
        return false;
    }
}

}  // namespace isotick::core::detail

namespace isotick::core {

// Where in the state an archive is, so that a failure can say how far it came.

/// The objects and containers that an archive is inside of. Costs little while all goes well: the
/// names are collected only as an exception passes them (name_passed). Not thread-safe.
class ArchivePath {
  public:
    /// How deeply objects, containers and pointers may nest.
    static constexpr std::size_t kDeepest = 1000;

    ArchivePath() { frames_.reserve(32); }

    /// An object or container begins at byte `position`. Throws std::length_error if it is nested
    /// too deeply.
    void enter(std::uint64_t position) {
        if (frames_.size() > kDeepest) {
            throw_too_deep();
        }
        frames_.push_back({0, position, false});
    }

    /// The innermost object or container ends; returns where it began.
    std::uint64_t leave() {
        const std::uint64_t start = frames_.back().start;
        frames_.pop_back();
        count();
        return start;
    }

    /// One value of the innermost object or container is done.
    void count() {
        if (!frames_.empty()) {
            ++frames_.back().done;
        }
    }

    /// The value that was counted last is the key of one that follows.
    void uncount() {
        if (!frames_.empty()) {
            --frames_.back().done;
        }
    }

    /// The innermost object gives a size: what follows in it are its elements.
    void begin_elements() {
        if (!frames_.empty()) {
            frames_.back() = {0, frames_.back().start, true};
        }
    }

    [[nodiscard]] bool in_elements() const { return !frames_.empty() && frames_.back().elements; }

    [[nodiscard]] std::size_t depth() const { return frames_.size(); }

    /// An exception passes the value called `name`, which began when depth() was `depth`:
    /// remembers it, for text().
    void name_passed(std::size_t depth, const char* name) noexcept;

    /// The path of the value at which the archive stopped, such as `units[17].velocity`; empty at
    /// the root. Cut to 200 bytes.
    [[nodiscard]] std::string text() const;

    /// `what`, and where: "units[17].name: 4 bytes are missing".
    [[nodiscard]] std::string describe(const char* what) const;

  private:
    struct Frame {
        std::uint64_t done;   // values that are complete
        std::uint64_t start;  // byte position
        bool elements;        // its values are numbered
    };

    [[noreturn]] static void throw_too_deep();

    std::vector<Frame> frames_;
    std::vector<std::pair<std::size_t, std::string>> names_;  // depth and name, innermost first
};

/// Serialises what a name-value pair holds into `archive`, whose path is `path`.
template <class Archive, class T>
void archive_named(Archive& archive, ArchivePath& path, cereal::NameValuePair<T>& pair) {
    const std::size_t depth = path.depth();
    try {
        archive(pair.value);
    } catch (...) {
        path.name_passed(depth, pair.name);
        throw;
    }
}

namespace detail {

// Runs `body`; what it throws is thrown on with the path that `archive` reached.
template <class Archive, class Body>
void with_path(Archive& archive, const Body& body) {
    try {
        body();
    } catch (const std::exception& thrown) {
        throw std::runtime_error(archive.path().describe(thrown.what()));
    }
}

// What cereal wraps values in: neither objects nor containers of the state.
template <class T>
inline constexpr bool is_wrapper_v = std::is_base_of_v<cereal::detail::NameValuePairCore, T> ||
                                     std::is_base_of_v<cereal::detail::DeferredDataCore, T> ||
                                     std::is_base_of_v<cereal::traits::detail::BaseCastBase, T>;
template <class T>
inline constexpr bool is_wrapper_v<cereal::SizeTag<T>> = true;
template <class T>
inline constexpr bool is_wrapper_v<cereal::BinaryData<T>> = true;
template <class T>
inline constexpr bool is_wrapper_v<cereal::memory_detail::PtrWrapper<T>> = true;
template <class Archive, class T>
inline constexpr bool is_wrapper_v<cereal::memory_detail::LoadAndConstructLoadWrapper<Archive, T>> =
    true;

// Whether an archive counts T as one level of nesting.
template <class T>
inline constexpr bool is_level_v = std::is_class_v<T> && !is_wrapper_v<T>;

}  // namespace detail

}  // namespace isotick::core
