#pragma once
// What the C API shares: errors, heads, settings.

#include <isotick/core/detail/c_calls.hpp>
#include <isotick/core/detail/tick_dt.hpp>
#include <isotick/core/hash.hpp>
#include <isotick/core/plugin.h>
#include <isotick/core/result.hpp>
#include <isotick/replay/detail/recording_head.hpp>
#include <isotick/replay/detail/tick_hashes.hpp>
#include <isotick/replay/isotick.h>

#include <cstdint>
#include <optional>
#include <vector>

namespace isotick::replay::c_api {

// A recording's head as C has it, both ways.

/// Fails with `usage` on what is missing or makes no sense.
[[nodiscard]] core::Result<RecordingHead> head_from_c(const isotick_recording_head* given);

/// A head that C may look at. Neither copied nor moved, since it points into itself.
class HeadForC {
  public:
    explicit HeadForC(const RecordingHead& head);
    HeadForC(const HeadForC&) = delete;
    HeadForC& operator=(const HeadForC&) = delete;

    [[nodiscard]] const isotick_recording_head& get() const { return head_; }

  private:
    RecordingHead kept_;
    std::vector<isotick_setting> config_;
    std::vector<isotick_setting> notes_;
    std::vector<const char*> part_names_;
    isotick_recording_head head_;
};

// What the functions of isotick.h share, beside what those of all C libraries do: hashes, dts.

using core::c_api::guard;
using core::c_api::read_struct;
using core::c_api::value_or;
using core::c_api::write_struct;

/// None for null.
[[nodiscard]] core::Result<std::optional<core::TickDt>> dt_from_c(const isotick_dt* given);
[[nodiscard]] isotick_dt dt_for_c(core::TickDt dt);

/// Hashes as C++ has them, in memory that is reused: a call with no more parts than a state may
/// have cannot fail.
class HashesFromC {
  public:
    HashesFromC() { parts_.reserve(ISOTICK_MOST_PARTS); }

    /// Null for null; valid until the next call.
    [[nodiscard]] const TickHashes* operator()(const isotick_hashes* given) {
        if (given == nullptr) {
            return nullptr;
        }
        parts_.clear();
        for (std::uint32_t i = 0; given->parts != nullptr && i < given->part_count; ++i) {
            parts_.push_back({given->parts[i]});
        }
        hashes_ = {{given->state}, parts_};
        return &hashes_;
    }

  private:
    std::vector<core::PartHash> parts_;
    TickHashes hashes_;
};

}  // namespace isotick::replay::c_api
