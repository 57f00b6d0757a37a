#pragma once
// Inputs that lie elsewhere at each step, and nowhere behind it.

#include <isotick/core/plugin.h>
#include <isotick/core/random.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>

namespace isotick::harness {

/// Hands steps over from memory that is taken for one call: its place, what lies between the inputs
/// and how they are aligned are drawn. Behind the call the memory is overwritten and given back.
class MovedInputs {
  public:
    explicit MovedInputs(std::uint64_t seed) : random_(seed) {}

    /// Calls `call` with a copy of `step`, and returns what that does.
    template <class Call>
    auto during(const isotick_step& step, const Call& call) {
        const Memory memory = copy(step);
        return call(*memory.step);
    }

  private:
    struct Memory {
        std::unique_ptr<std::byte[]> bytes;  // of a step, its inputs, their data
        std::size_t size = 0;
        const isotick_step* step = nullptr;

        Memory() = default;
        Memory(Memory&& other) = default;
        ~Memory();
    };

    [[nodiscard]] Memory copy(const isotick_step& step);

    core::Pcg32 random_;
};

}  // namespace isotick::harness
