#pragma once
// The fields of every state of a trial as digests by kind, in a file: to find the first state in
// which two builds differ that cannot be compared by their hashes.

#include "../system/posix.hpp"

#include <isotick/core/detail/field_selection.hpp>
#include <isotick/core/simulation.hpp>
#include <isotick/harness/trial.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace isotick::harness {

/// Writes a state's digests where they are not those of the state before.
class FieldDigestFile {
  public:
    /// Fails with `usage` where the simulation does not show its fields, else with `io`.
    [[nodiscard]] static core::Result<FieldDigestFile> open(const FieldDigestRequest& request,
                                                            const core::Simulation& simulation);

    /// The state that `ticks_done` ticks made. Fails as Simulation::fields does, or with `io`.
    [[nodiscard]] core::Result<void> look(core::Simulation& simulation, std::uint64_t ticks_done);

  private:
    explicit FieldDigestFile(FileDescriptor file) : file_(std::move(file)) {}

    FileDescriptor file_;
    core::FieldDigests digests_;
    std::vector<std::uint64_t> before_;
};

/// Where two such files part.
struct DifferingFields {
    std::uint64_t ticks_done = 0;
    std::vector<std::string> kinds;  ///< that differ there, in the order of `a`
};

/// What two such files have in common.
struct ComparedFields {
    std::optional<DifferingFields> diverged;  ///< none: they are alike
    std::size_t shared_kinds = 0;
    std::uint64_t states = 0;  ///< that both have
};

/// Holds the kinds that both files have, and that `counts`, against each other, state by state, as
/// far as both go. What is cut off at the end of a file is passed over.
[[nodiscard]] ComparedFields compare_digests(
    std::span<const std::byte> a, std::span<const std::byte> b,
    const std::function<bool(const std::string& kind)>& counts);

}  // namespace isotick::harness
