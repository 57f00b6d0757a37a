#include "compare_ticks.hpp"

#include <isotick/core/plugin.h>

#include <algorithm>
#include <utility>

namespace isotick::replay {
namespace {

// The first column whose input is another at a tick before which all are the same.
std::optional<std::uint32_t> first_difference(const TickChunk& a, std::uint32_t i,
                                              const TickChunk& b, std::uint32_t k) {
    const auto changes_a = a.changes(i);
    const auto changes_b = b.changes(k);
    const auto [in_a, in_b] = std::ranges::mismatch(
        changes_a, changes_b, [&](const InputChange& left, const InputChange& right) {
            return left.column == right.column && left.code == right.code &&
                   std::ranges::equal(a.bytes_of(left), b.bytes_of(right));
        });
    if (in_a == changes_a.end() || in_b == changes_b.end()) {
        return in_a != changes_a.end()   ? std::optional(in_a->column)
               : in_b != changes_b.end() ? std::optional(in_b->column)
                                         : std::nullopt;
    }
    return std::min(in_a->column, in_b->column);
}

InputBytes bytes_of(const isotick_input& input) {
    if (input.present == 0) {
        return std::nullopt;
    }
    return std::vector<std::uint8_t>(input.data, input.data + input.size);
}

}  // namespace

TickComparer::TickComparer(const RecordingHead& a, const RecordingHead& b, Comparison& out)
    : head_(a),
      out_(out),
      same_parts_(a.part_names == b.part_names && a.stride().has_parts()),
      wants_inputs_(a.session == b.session),
      wants_hashes_(out.incomparable.empty()) {}

void TickComparer::compare_initial(const TickHashes& a, const TickHashes& b) {
    if (!wants_hashes_) {
        return;
    }
    ++out_.hashes_compared;
    initial_equal_ = a.state == b.state && are_same(a.parts, b.parts);
    if (!initial_equal_) {
        differ(std::nullopt, a.state, b.state);
        name_parts(std::nullopt, a.parts, b.parts);
    }
}

void TickComparer::compare_inputs(const TickChunk& a, std::uint32_t i, const TickChunk& b,
                                  std::uint32_t k) {
    const auto column = wants_inputs_ ? first_difference(a, i, b, k) : std::nullopt;
    if (!column) {
        return;
    }
    SessionDifference difference;
    difference.what = SessionDifference::What::input;
    difference.tick = core::Tick{a.first_tick().value + i};
    difference.player = a.inputs(i)[*column].player;
    difference.input_a = bytes_of(a.inputs(i)[*column]);
    difference.input_b = bytes_of(b.inputs(k)[*column]);
    out_.session = std::move(difference);
    wants_inputs_ = false;
}

void TickComparer::compare_dts(const TickChunk& a, std::uint32_t i, const TickChunk& b,
                               std::uint32_t k) {
    const auto dt_a = a.dt(i);
    const auto dt_b = b.dt(k);
    if (!wants_inputs_ || dt_a == dt_b) {
        return;
    }
    const core::TickDt constant(head_.session.rate);
    SessionDifference difference;
    difference.what = SessionDifference::What::dt;
    difference.tick = core::Tick{a.first_tick().value + i};
    difference.text_a = to_string(dt_a.value_or(constant));
    difference.text_b = to_string(dt_b.value_or(constant));
    out_.session = std::move(difference);
    wants_inputs_ = false;
}

void TickComparer::compare_hashes(const TickChunk& a, std::uint32_t i, const TickChunk& b,
                                  std::uint32_t k) {
    const core::Tick tick{a.first_tick().value + i};
    const auto state_a = a.state_hash(i);
    const auto state_b = b.state_hash(k);
    if (wants_hashes_ && state_a && state_b) {
        ++out_.hashes_compared;
        if (*state_a == *state_b && are_same(a.part_hashes(i), b.part_hashes(k))) {
            last_equal_ = tick;
        } else {
            differ(tick, *state_a, *state_b);
        }
    }
    if (wants_parts_) {
        name_parts(tick, a.part_hashes(i), b.part_hashes(k));
    }
}

bool TickComparer::are_same(std::span<const core::PartHash> a,
                            std::span<const core::PartHash> b) const {
    return !same_parts_ || a.empty() || b.empty() || std::ranges::equal(a, b);
}

void TickComparer::differ(std::optional<core::Tick> tick, core::StateHash a, core::StateHash b) {
    HashDifference difference;
    difference.tick = tick;
    difference.a = a;
    difference.b = b;
    difference.last_equal = last_equal_;
    difference.initial_equal = initial_equal_;
    out_.hashes = std::move(difference);
    wants_hashes_ = false;
    wants_parts_ = same_parts_;
}

void TickComparer::name_parts(std::optional<core::Tick> tick, std::span<const core::PartHash> a,
                              std::span<const core::PartHash> b) {
    if (!wants_parts_ || a.empty() || b.empty()) {
        return;
    }
    HashDifference& difference = *out_.hashes;
    difference.has_parts = true;
    difference.parts_tick = tick;
    for (std::size_t n = 0; n < a.size(); ++n) {
        if (a[n] != b[n]) {
            difference.parts.push_back({head_.part_names[n], a[n], b[n]});
        }
    }
    wants_parts_ = false;
}

}  // namespace isotick::replay
