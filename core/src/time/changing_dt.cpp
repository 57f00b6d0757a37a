#include <isotick/core/detail/time/changing_dt.hpp>

#include <string>

namespace isotick::core {

Result<void> check_dt(const isotick_info& info, Tick tick, TickDt dt, TickDt constant) {
    if (dt == constant || (info.capabilities & ISOTICK_CHANGING_DT) != 0) {
        return {};
    }
    return tl::unexpected<Error>(Error{ErrorCode::usage,
                                       "its dt is " + to_string(dt) + " s instead of " +
                                           to_string(constant) + " s, but " + info.name +
                                           " does not declare that it accepts a changing dt",
                                       {},
                                       {},
                                       tick.value});
}

}  // namespace isotick::core
