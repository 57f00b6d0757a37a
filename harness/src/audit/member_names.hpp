#pragma once
// The names of members, looked up in the debug information of the running process.

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace isotick::harness {

/// Bytes of an object, from its beginning.
struct ObjectRange {
    std::uint64_t offset = 0;
    std::uint64_t size = 0;
};

/// A member of a type, directly or within its bases and members.
struct NamedMember {
    std::string path;  ///< `middle_`, `body.velocity_`, `cells_[3]`, of a base `Skirmish::grid_`
    std::uint64_t offset = 0;  ///< from the beginning of the object, in bytes
    std::uint64_t size = 0;    ///< bytes, of which at least one is in the range asked for
    bool plain = false;        ///< it is made of numbers: no pointer in it, no container
};

/// What becomes of a struct within a type that is in a range as a whole: it is one member, or its
/// members are looked into. Those of standard libraries are never looked into.
enum class Nested { whole, split };

/// `middle_`, `first_ … last_`, or nothing if there are none.
[[nodiscard]] std::string summary(const std::vector<NamedMember>& members);

/// Finds the members of types by the names that visit_memory gives them. Knows what the debug
/// information of the program and of the plug-ins knows that are loaded at the first question;
/// where there is none, or on a system other than Linux, there is no answer, which is no error.
/// Nothing is read before that question, which takes longer than those after it. Not thread-safe.
class MemberNames {
  public:
    MemberNames();
    ~MemberNames();

    /// The members that hold any of the bytes of `range` in objects of the type `type`, which have
    /// `type_size` bytes (fewer where they are bases), in order; empty where no member does, which
    /// is padding (or a vtable pointer). Members that are structs are looked into where only a part
    /// of them is in the range, and as `nested` says; bases always. No value: nothing is known
    /// about the type.
    [[nodiscard]] std::optional<std::vector<NamedMember>> members_at(std::string_view type,
                                                                     std::uint64_t type_size,
                                                                     ObjectRange range,
                                                                     Nested nested = Nested::whole);

  private:
    class Index;
    std::unique_ptr<Index> index_;
};

}  // namespace isotick::harness
