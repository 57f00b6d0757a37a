#include "chunk_builder.hpp"

#include "../format/input_columns.hpp"

#include <utility>

namespace isotick::replay {

using core::ErrorCode;

// Inline, as no compiler may take what a library shows into another function of it.
inline bool ChunkBuilder::is_acceptable(const isotick_input& input, const Latest& latest) {
    return input.player == latest.player && (input.present != 0 || input.size == 0) &&
           (input.size == 0 || input.data != nullptr) && input.size <= ISOTICK_LONGEST_INPUT;
}

inline std::size_t ChunkBuilder::claim(std::size_t size) {
    std::vector<std::uint8_t>& bytes = open_.inputs.bytes;
    const std::size_t at = bytes_end_;
    bytes_end_ += size;
    if (bytes_end_ > bytes.size()) {
        bytes.resize(2 * bytes_end_ + 256);
    }
    return at;
}

ChunkBuilder::ChunkBuilder(const RecordingHead& head)
    : stride_(head.stride()),
      full_(chunk_ticks(head.session.rate)),
      constant_dt_(head.session.rate),
      columns_(head.session.players + std::size_t{1}),
      latest_(columns_) {
    begin_chunk();
}

StoredTicks& ChunkBuilder::open() {
    open_.inputs.bytes.resize(bytes_end_);
    return open_;
}

void ChunkBuilder::begin_chunk() {
    open_.first = ticks_;
    open_.ticks = 0;
    open_.inputs.clear();
    open_.dts.clear();
    open_.states.clear();
    open_.parts.clear();
    bytes_end_ = 0;
    input_cost_ = 0;
    for (std::uint32_t column = 0; column < columns_; ++column) {
        latest_[column] = {column + 1 < columns_ ? column : ISOTICK_WORLD, 0, 0, 0};
    }
}

bool ChunkBuilder::check(core::Tick tick, std::span<const isotick_input> inputs,
                         const TickHashes* hashes) {
    if (inputs.size() != columns_) {
        return fail_count(tick, inputs.size());
    }
    for (std::size_t column = 0; column < columns_; ++column) {
        if (!is_acceptable(inputs[column], latest_[column])) {
            return fail_input(tick, column, inputs[column]);
        }
    }
    return !hash_due(tick) || check_hashes(tick, hashes);
}

bool ChunkBuilder::check_hashes(core::Tick tick, const TickHashes* hashes) {
    if (hashes == nullptr) {
        return fail(ErrorCode::usage, tick, "the hash is due after this tick but missing");
    }
    if (stride_.parts_due(tick) && hashes->parts.size() != stride_.part_count) {
        return fail(ErrorCode::usage, tick,
                    std::to_string(hashes->parts.size()) + " part hashes given, " +
                        std::to_string(stride_.part_count) + " needed");
    }
    return true;
}

bool ChunkBuilder::take_input(const isotick_input& input, Latest& latest) {
    const auto column = static_cast<std::uint32_t>(&latest - latest_.data());
    if (!is_acceptable(input, latest)) {
        return fail_input({ticks_}, column, input);
    }
    if (input.present > 1) {  // another way to say the same
        const isotick_input plain{input.player, 1, input.size, input.data};
        return is_latest(plain, latest) || take_input(plain, latest);
    }
    input_cost_ += change_cost(input.size);
    if (input_cost_ > kLongestInputBlock) {
        return fail(ErrorCode::limit, {ticks_},
                    "the inputs since tick " + std::to_string(open_.first) +
                        " are more than a chunk can hold (64 MiB)");
    }
    const auto size = static_cast<std::uint32_t>(input.size);
    const std::size_t at = claim(size);
    std::uint8_t* const bytes = open_.inputs.bytes.data() + at;
    if (size == sizeof(std::uint64_t)) {  // most pads
        std::memcpy(bytes, input.data, sizeof(std::uint64_t));
    } else if (size != 0) {
        std::memcpy(bytes, input.data, size);
    }
    open_.inputs.changes.push_back(
        {open_.ticks, column, input.present == 0 ? 0 : size + 1, static_cast<std::uint32_t>(at)});
    latest = {input.player, input.present, input.size, at};
    return true;
}

void ChunkBuilder::take_parts(core::Tick tick, const TickHashes& hashes) {
    if (stride_.parts_due(tick)) {
        open_.parts.insert(open_.parts.end(), hashes.parts.begin(), hashes.parts.end());
    }
}

void ChunkBuilder::take_dt(std::optional<core::TickDt> dt) {
    if (dt && *dt == constant_dt_) {
        dt.reset();
    }
    const bool is_known = open_.dts.empty() ? !dt : dt == open_.dts.back().dt;
    if (!is_known) {
        open_.dts.push_back({open_.ticks, dt});
    }
}

bool ChunkBuilder::fail_count(core::Tick tick, std::size_t given) {
    return fail(ErrorCode::usage, tick,
                std::to_string(given) + " inputs given, " + std::to_string(columns_) +
                    " needed: one per player and the world's");
}

bool ChunkBuilder::fail_input(core::Tick tick, std::size_t column, const isotick_input& input) {
    const std::string name = "input " + std::to_string(column);
    if (input.player == latest_[column].player && input.present != 0 && input.data != nullptr) {
        return fail(ErrorCode::limit, tick,
                    name + " has " + std::to_string(input.size) + " bytes, more than 65536");
    }
    return fail(ErrorCode::usage, tick,
                name + " is malformed: wrong player, absent with a size, or without data");
}

bool ChunkBuilder::fail(ErrorCode code, core::Tick tick, std::string message) {
    error_ = {code, std::move(message), {}, {}, tick.value};
    return false;
}

}  // namespace isotick::replay
