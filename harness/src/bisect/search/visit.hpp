#pragma once
// A revision that was tried, and what became of it.

#include "../judge/judgement.hpp"

#include <cstddef>
#include <optional>
#include <string>

namespace isotick::harness::bisect {

enum class Standing {
    good,
    bad,
    another_divergence,  ///< it diverges, but not as is looked for
    not_fitting,         ///< overlay or glue do not fit its tree
    not_building,
    not_loading,
    crashing,
    nondeterministic,
    another_simulation,
    not_comparable,
};

/// `good`, `does not build` …
[[nodiscard]] const char* to_string(Standing standing);
/// Whether it says nothing of what is looked for.
[[nodiscard]] inline bool is_skipped(Standing standing) {
    return standing != Standing::good && standing != Standing::bad;
}

struct Visit {
    std::string commit;
    Standing standing = Standing::good;
    std::optional<Signature> signature{};
    FieldReport fields{};           ///< from the reference to this revision
    std::string reason{};           ///< in words, of what is skipped
    std::string log{};              ///< of its build: a file
    std::size_t same_failures = 0;  ///< for this reason, up to this; 0: it was tried before
    bool from_cache = false;        ///< it was not built for this
    bool by_fields = false;         ///< compared field by field
    std::string simulation{};       ///< its build, as --sim takes it
};

}  // namespace isotick::harness::bisect
