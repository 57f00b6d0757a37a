#pragma once
// The pieces of a schedule's text form that stand outside Schedule itself.

#include <isotick/core/detail/schedule_item.hpp>

#include <string>

namespace isotick::core {

/// One item in canonical form: `120x60hz`, `jitter(60hz, 3ms, seed=7)`.
[[nodiscard]] std::string to_string(const ScheduleItem& item);

}  // namespace isotick::core
