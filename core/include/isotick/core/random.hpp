#pragma once
// Random numbers whose bits are the same everywhere: PCG32, and seeds derived from seeds.

#include <cstdint>
#include <initializer_list>

namespace isotick::core {

/// PCG-XSH-RR with 64 bits of state and 32 of output: period 2^64 in each of 2^63 streams, not for
/// cryptography. Integers and exact powers of two only, so no bit depends on compiler or machine.
///
/// A value: when a simulation draws from it, it is part of the state and belongs into `serialize`.
/// Two calls in one expression have no defined order in C++: draw into variables first. Not
/// thread-safe.
/// Source: O'Neill, "PCG: A Family of Simple Fast Space-Efficient Statistically Good Algorithms
/// for Random Number Generation" (2014), and its pcg32_random_r, pcg32_boundedrand_r.
class Pcg32 {
  public:
    /// The generator as it is after pcg32_srandom_r(seed, stream). Streams are told apart by their
    /// lower 63 bits.
    explicit Pcg32(std::uint64_t seed = 0, std::uint64_t stream = 0)
        : increment_((stream << 1U) | 1U) {
        step();
        state_ += seed;
        step();
    }

    /// 32 uniform bits.
    std::uint32_t next() {
        const std::uint64_t old = state_;
        step();
        const auto shifted = static_cast<std::uint32_t>(((old >> 18U) ^ old) >> 27U);
        const auto rotation = static_cast<std::uint32_t>(old >> 59U);
        return (shifted >> rotation) | (shifted << ((32U - rotation) & 31U));
    }

    /// 64 uniform bits: two draws, the upper half first.
    std::uint64_t next64();

    /// Uniform from 0 to below `bound`, without bias (draws again where the remainder would favor
    /// small values). `bound` must be above zero.
    std::uint32_t below(std::uint32_t bound);

    /// Uniform from `low` to `high`, both included, without bias. `low` must not exceed `high`.
    std::int64_t between(std::int64_t low, std::int64_t high);

    /// Uniform from 0 to below 1: a multiple of 2^-24.
    float unit_float();

    /// Uniform from 0 to below 1: a multiple of 2^-53.
    double unit_double();

    /// True `numerator` times in `denominator`, exactly; always draws. `denominator` must be above
    /// zero; a numerator that is not below it is certainty.
    bool chance(std::uint32_t numerator, std::uint32_t denominator);

    /// State and stream, for any cereal archive.
    template <class Archive>
    void serialize(Archive& archive) {
        archive(state_, increment_);
    }

    friend bool operator==(const Pcg32&, const Pcg32&) = default;

  private:
    void step() { state_ = state_ * 6364136223846793005ULL + increment_; }

    std::uint64_t state_ = 0;
    std::uint64_t increment_;
};

/// A seed that depends on `root` and on every number of `path` and its place, and on nothing else:
/// `derive_seed(root, {digest.low, digest.high, trial})`. Seeds of different paths are independent
/// for any purpose but cryptography. XXH3-64 of the numbers, little-endian, root first.
[[nodiscard]] std::uint64_t derive_seed(std::uint64_t root,
                                        std::initializer_list<std::uint64_t> path);

}  // namespace isotick::core
