#pragma once
// Compares the hash of each tick with the recorded one, or with those in a file.

#include "../system/posix.hpp"
#include "call_pipeline.hpp"

#include <isotick/core/hash.hpp>
#include <isotick/core/result.hpp>
#include <isotick/core/simulation.hpp>
#include <isotick/harness/trial.hpp>

#include <cstdint>
#include <optional>
#include <span>

namespace isotick::harness {

// Hashes of states in a file that trials write and compare with.

/// The file of a HashFile. Copies of a process may write it one after the other. Movable.
class HashColumn {
  public:
    [[nodiscard]] static core::Result<HashColumn> open(const HashFile& file);

    [[nodiscard]] HashFile::Use use() const { return use_; }

    [[nodiscard]] core::Result<void> write(std::uint64_t ticks_done, core::StateHash hash);

    /// None behind the last that was written.
    [[nodiscard]] core::Result<std::optional<core::StateHash>> read(std::uint64_t ticks_done) const;

  private:
    HashColumn(FileDescriptor file, HashFile::Use use) : file_(std::move(file)), use_(use) {}

    FileDescriptor file_;
    HashFile::Use use_;
};

// What a trial does with the hashes of its states: compares them, or keeps them.

/// Fills in what a result says of hashes. What it is made of must outlive it.
class HashComparison {
  public:
    [[nodiscard]] static core::Result<HashComparison> make(const TrialPlan& plan,
                                                           const core::Simulation& simulation,
                                                           TrialResult& result);

    /// Whether the hash of a state is wanted. Its recorded hashes are those in `state`, which
    /// becomes how it is to be hashed.
    [[nodiscard]] core::Result<bool> wants(AwaitedHash& state) const;

    /// Takes the hash of a state that was wanted. False where the trial ends with it.
    bool take(const AwaitedHash& awaited, core::StateHash computed);

    /// The hashes are kept and not compared.
    [[nodiscard]] bool keeps() const;

    /// Fails where they could not be kept.
    [[nodiscard]] core::Result<void> kept() const { return kept_; }

  private:
    HashComparison(const TrialPlan& plan, const core::Simulation& simulation, TrialResult& result)
        : takes_none_(plan.field_digests),
          trace_(plan.trace),
          simulation_(simulation),
          result_(result) {}

    struct Agreed {
        std::uint64_t ticks_done;
        std::uint64_t steps;
    };

    [[nodiscard]] bool keep(const AwaitedHash& awaited, core::StateHash computed);
    [[nodiscard]] StateRecord state_of(const AwaitedHash& awaited, core::StateHash hash) const;

    bool takes_none_;
    std::optional<StateRange> trace_;
    const core::Simulation& simulation_;
    TrialResult& result_;
    std::optional<HashColumn> column_;
    core::Result<void> kept_;
    std::optional<Agreed> last_agreed_;
};

}  // namespace isotick::harness
