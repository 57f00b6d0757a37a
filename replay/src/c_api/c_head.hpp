#pragma once
// A recording's head as C has it, both ways.

#include <isotick/core/result.hpp>
#include <isotick/replay/detail/recording_head.hpp>
#include <isotick/replay/isotick.h>

#include <vector>

namespace isotick::replay::c_api {

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

}  // namespace isotick::replay::c_api
