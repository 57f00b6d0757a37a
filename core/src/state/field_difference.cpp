#include "comparison.hpp"

#include <isotick/core/detail/field_difference.hpp>
#include <isotick/core/detail/fields.hpp>
#include <isotick/core/snapshot.hpp>

#include <algorithm>
#include <cstring>
#include <new>

namespace isotick::core {
namespace {

// Above this, a count of ulps tells a reader less than the two values do.
constexpr std::uint64_t kMostUlps = 1'000'000;

// Runs `body`; what goes wrong in it becomes an Error.
template <class Body>
auto guarded(const Body& body) -> Result<decltype(body())> {
    try {
        return body();
    } catch (const FieldDamage& damage) {
        return failure(damage);
    } catch (const std::bad_alloc&) {
        return fail(ErrorCode::limit, "there is not enough memory to compare the fields");
    }
}

}  // namespace

std::string to_string(const FieldDifference& difference) {
    const std::string path = difference.path.empty() ? "the state" : difference.path;
    switch (difference.kind) {
        case DifferenceKind::gone:
            return path + "  is gone, was " + difference.before;
        case DifferenceKind::added:
            return path + "  is new: " + difference.after;
        case DifferenceKind::length:
            return path + ": " + difference.before + " → " + difference.after + " elements, " +
                   difference.note;
        default:
            break;
    }
    std::string distance;
    if (difference.ulps && *difference.ulps <= kMostUlps) {
        distance = std::to_string(*difference.ulps) + " ulp";
    }
    if (difference.fixed) {
        const auto [units, fraction_bits] = *difference.fixed;
        distance = std::to_string(units) + (units == 1 ? " unit" : " units") + " of 2^-" +
                   std::to_string(fraction_bits);
    }
    const char* between = distance.empty() || difference.note.empty() ? "" : ", ";
    const std::string note = distance + between + difference.note;
    return path + "  " + difference.before + " → " + difference.after +
           (note.empty() ? "" : "  (" + note + ")");
}

Result<FieldDifferences> compare_fields(std::span<const std::byte> before,
                                        std::span<const std::byte> after, std::size_t limit) {
    return guarded([&] { return Comparison(FieldBytes(before), FieldBytes(after), limit).run(); });
}

struct FieldComparison::State {
    std::span<const std::byte> before;
    FieldBlocks blocks;
    std::uint64_t size = 0;
    std::uint64_t kept = 0;

    void take(const std::byte* data, std::size_t count);
    void take_within_block(const std::byte* data, std::size_t count);
};

// `count` bytes that come next and lie in one block.
void FieldComparison::State::take_within_block(const std::byte* data, std::size_t count) {
    const std::size_t start = static_cast<std::size_t>(size) / kFieldBlock * kFieldBlock;
    const std::size_t within = static_cast<std::size_t>(size) % kFieldBlock;
    if (within == 0) {
        blocks.emplace_back();
    }
    auto& block = blocks.back();
    const bool same =
        size + count <= before.size() && std::memcmp(before.data() + size, data, count) == 0;
    if (block == nullptr && !same) {
        block = std::make_unique<FieldBlock>();
        if (within != 0) {
            std::memcpy(block->data(), before.data() + start, within);
        }
        kept += kFieldBlock;
    }
    if (block != nullptr) {
        std::memcpy(block->data() + within, data, count);
    }
    size += count;
}

void FieldComparison::State::take(const std::byte* data, std::size_t count) {
    while (count != 0) {
        const std::size_t room = kFieldBlock - static_cast<std::size_t>(size) % kFieldBlock;
        const std::size_t now = std::min(count, room);
        take_within_block(data, now);
        data += now;
        count -= now;
    }
}

FieldComparison::FieldComparison(std::span<const std::byte> before)
    : state_(std::make_unique<State>()) {
    state_->before = before;
}
FieldComparison::~FieldComparison() = default;
FieldComparison::FieldComparison(FieldComparison&&) noexcept = default;
FieldComparison& FieldComparison::operator=(FieldComparison&&) noexcept = default;

isotick_sink FieldComparison::sink() {
    const auto write = [](void* context, const void* data, std::uint64_t count) -> std::int32_t {
        State& state = *static_cast<State*>(context);
        if (count > kLargestState - state.size) {
            return ISOTICK_FAILED;
        }
        try {
            state.take(static_cast<const std::byte*>(data), static_cast<std::size_t>(count));
            return ISOTICK_OK;
        } catch (const std::bad_alloc&) {
            return ISOTICK_FAILED;
        }
    };
    return {state_.get(), write};
}

std::uint64_t FieldComparison::kept() const {
    return state_->kept;
}

Result<FieldDifferences> FieldComparison::finish(std::size_t limit) const {
    return guarded([&] {
        const FieldBytes after(state_->before, state_->blocks, state_->size);
        return Comparison(FieldBytes(state_->before), after, limit).run();
    });
}

}  // namespace isotick::core
