#include "moved_inputs.hpp"

#include <algorithm>
#include <cstring>
#include <memory>
#include <span>

namespace isotick::harness {
namespace {

// A step may begin at any of so many places, and what lies between two inputs is shorter than this.
constexpr std::uint32_t kPlaces = 64;
constexpr std::uint32_t kMostBetween = 64;
constexpr std::byte kGone{0xdb};

std::span<const isotick_input> inputs_of(const isotick_step& step) {
    return {step.inputs, step.input_count};
}

}  // namespace

MovedInputs::Memory::~Memory() {
    if (bytes != nullptr) {
        // Volatile, or a compiler leaves out what nobody may read.
        volatile std::byte* const begin = bytes.get();
        for (std::size_t i = 0; i < size; ++i) {
            begin[i] = kGone;
        }
    }
}

MovedInputs::Memory MovedInputs::copy(const isotick_step& step) {
    const std::size_t heads = sizeof(isotick_step) + step.input_count * sizeof(isotick_input);
    std::size_t size = (kPlaces + 1) * alignof(std::max_align_t) + heads + kMostBetween;
    for (const isotick_input& input : inputs_of(step)) {
        size += input.size + kMostBetween;
    }
    Memory memory;
    memory.size = size;
    memory.bytes = std::make_unique_for_overwrite<std::byte[]>(size);
    std::byte* at = memory.bytes.get();
    const auto between = static_cast<std::byte>(random_.next());
    std::fill_n(at, size, between);
    at += random_.below(kPlaces) * alignof(std::max_align_t);
    auto* const made = new (at) isotick_step(step);
    at += sizeof *made;
    auto* const inputs = reinterpret_cast<isotick_input*>(at);
    std::ranges::uninitialized_copy(inputs_of(step), std::span(inputs, step.input_count));
    at += step.input_count * sizeof(isotick_input);
    for (isotick_input& input : std::span(inputs, step.input_count)) {
        at += random_.below(kMostBetween);
        if (input.data != nullptr) {
            auto* const data = reinterpret_cast<std::uint8_t*>(at);
            std::copy_n(input.data, input.size, data);
            input.data = data;
        }
        at += input.size;
    }
    made->inputs = inputs;
    memory.step = made;
    return memory;
}

}  // namespace isotick::harness
