#pragma once
// Compares two recordings: where their sessions and where their hashes part.

#include <isotick/core/hash.hpp>
#include <isotick/core/result.hpp>
#include <isotick/core/time.hpp>
#include <isotick/replay/reader.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace isotick::replay {

/// One input of one player, or its absence.
using InputBytes = std::optional<std::vector<std::uint8_t>>;

/// The first thing that makes two sessions different, in the order of `What`; of inputs and dts the
/// one at the earlier tick.
struct SessionDifference {
    enum class What { simulation, rate, players, seed, config, input, dt };
    What what = What::simulation;
    std::string config_key;  ///< for config
    /// Both values as text; for config none where the key is not set; for dt in seconds (`1/60`);
    /// not for input.
    std::optional<std::string> text_a;
    std::optional<std::string> text_b;
    core::Tick tick;           ///< for input and dt
    std::uint32_t player = 0;  ///< for input; ISOTICK_WORLD for the world's
    InputBytes input_a;        ///< for input
    InputBytes input_b;
};

/// One part whose hashes differ.
struct PartDifference {
    std::string name;
    core::PartHash a;
    core::PartHash b;
};

/// The first stored state hashes that differ.
struct HashDifference {
    std::optional<core::Tick> tick;  ///< after this tick; none: before tick 0 already
    core::StateHash a;
    core::StateHash b;
    /// The last tick before it whose hashes are stored in both and equal; none: not even one.
    /// With strides above 1 the states diverged somewhere in between.
    std::optional<core::Tick> last_equal;
    bool initial_equal = false;  ///< the hashes before tick 0 are equal
    /// Whether part hashes of both were found at or behind the difference: the first ones are
    /// those after `parts_tick` (none: before tick 0), where `parts` differ.
    bool has_parts = false;
    std::optional<core::Tick> parts_tick;
    std::vector<PartDifference> parts;
};

/// What one side of the comparison was.
struct ComparedFile {
    std::uint64_t ticks = 0;  ///< of the intact prefix, which alone is compared
    bool finished = false;
    std::optional<Damage> damage;  ///< what ends the intact prefix, as far as the search met it
    std::optional<Damage> tail_damage;  ///< costs no tick
    std::uint64_t chunks_read = 0;
};

/// Two recordings, compared.
struct Comparison {
    std::optional<SessionDifference> session;
    std::optional<HashDifference> hashes;
    /// Why hashes could not be compared (other algorithms); empty where they could.
    std::string incomparable;
    ComparedFile a;
    ComparedFile b;
    /// True if only chunk digests were searched, false if both files were read through.
    bool searched = false;
    std::uint64_t hashes_compared = 0;  ///< pairs known to be equal or different, the initial too

    /// Same session, same hashes, same ticks, and no damage was met.
    [[nodiscard]] bool identical() const {
        return agree() && a.ticks == b.ticks && !a.damage && !b.damage;
    }
    /// Same as far as both go, but `a` is shorter.
    [[nodiscard]] bool a_is_prefix() const { return agree() && a.ticks < b.ticks; }
    /// Same as far as both go, but `b` is shorter.
    [[nodiscard]] bool b_is_prefix() const { return agree() && b.ticks < a.ticks; }
    /// True if a difference was found.
    [[nodiscard]] bool differs() const { return session || hashes; }

  private:
    [[nodiscard]] bool agree() const { return !differs() && incomparable.empty(); }
};

/// What compare reads of recordings in which it finds no difference.
enum class CompareDepth {
    /// All of both: no damage goes unnoticed.
    everything,
    /// Where they can be searched, O(log n) chunks. Equal digests show that the recordings were
    /// the same when they were written, but damage in the chunks that were not read goes unnoticed.
    digests,
};

/// Compares two recordings. Where both have an intact tail and the same hash stride, the first
/// difference is searched for by the running digests at the ends of chunks, in O(log n) chunk
/// reads: damage elsewhere goes unnoticed. Where there is none, or they cannot be searched, both
/// are read through their intact prefixes; `depth` can do without the former. Notes are not
/// compared. Fails where Reader::open does, and where a file cannot be read. Paths as Reader::open
/// takes them.
[[nodiscard]] core::Result<Comparison> compare(const std::string& path_a, const std::string& path_b,
                                               CompareDepth depth = CompareDepth::everything);

}  // namespace isotick::replay
