#include "engine.hpp"
#include "parameters.hpp"

#include <isotick/core/detail/try.hpp>
#include <isotick/core/loops.hpp>

#include <algorithm>
#include <utility>

namespace isotick::core {
namespace {

/// The options that AccumulatorLoop has.
LoopOptions accumulator_options(const LoopOptions& options) {
    return {.longest_frame = options.longest_frame,
            .most_ticks = options.most_ticks,
            .time_scale = options.time_scale,
            .start_phase = options.start_phase};
}

Result<void> check_options(const LoopOptions& options) {
    if (static_cast<std::size_t>(options.kind) >= loops().size()) {
        return fail(ErrorCode::usage, "the loop's kind must be one of LoopKind");
    }
    const LoopInfo& info = info_of(options.kind);
    for (const LoopParameter& each : loop_parameters()) {
        if (const auto problem = each.problem(options)) {
            return fail(ErrorCode::usage,
                        "the loop's " + std::string(each.name) + " must be " + *problem);
        }
        if (std::ranges::find(info.options, each.name) == info.options.end() &&
            !is_default(each, options)) {
            return fail(ErrorCode::usage, "the loop " + std::string(info.name) + " has no option " +
                                              std::string(each.name));
        }
    }
    if (options.ramp && (options.debt != Debt::forgotten || options.reread.nanoseconds != 0)) {
        return fail(ErrorCode::usage, "a loop's ramp does not go with debt or reread");
    }
    if (options.ramp && (options.time_scale.numerator > ScaleRamp::kLargestTerm ||
                         options.time_scale.denominator > ScaleRamp::kLargestTerm)) {
        return fail(ErrorCode::limit, "with a ramp the time scale's terms must not exceed 1000000");
    }
    return {};
}

/// Null where AccumulatorLoop alone is enough.
EngineResult make_engine(TickRate rate, const LoopOptions& options) {
    switch (options.kind) {
        case LoopKind::accumulator:
        case LoopKind::threaded: {
            LoopOptions plain = accumulator_options(options);
            plain.kind = options.kind;
            return options == plain ? EngineResult(nullptr) : make_policy_loop(rate, options);
        }
        case LoopKind::clock:
        case LoopKind::canonical:
            return make_policy_loop(rate, options);
        case LoopKind::reversible:
            return make_reversible_loop(rate, options);
        case LoopKind::whole_ticks:
            return make_whole_ticks_loop(rate, options);
        case LoopKind::substeps:
        case LoopKind::fixed:
            return make_per_frame_loop(rate, options);
        case LoopKind::milliseconds:
            return make_millisecond_loop(rate, options);
        case LoopKind::accumulator_double:
        case LoopKind::clock_double:
        case LoopKind::turns:
            return make_double_loop(rate, options);
        case LoopKind::variable:
        case LoopKind::semi_fixed:
        case LoopKind::ranged:
            return make_changing_loop(rate, options);
        case LoopKind::growing:
            break;
    }
    return make_growing_loop(rate, options);
}

}  // namespace

Result<AccumulatorLoop> make_unlimited(TickRate rate, const LoopOptions& options) {
    LoopOptions unlimited = accumulator_options(options);
    unlimited.longest_frame.reset();
    unlimited.most_ticks.reset();
    return AccumulatorLoop::make(rate, unlimited);
}

Result<Loop> Loop::make(TickRate rate, const LoopOptions& options) {
    ISOTICK_TRY_ASSIGN(auto plain, AccumulatorLoop::make(rate, accumulator_options(options)));
    ISOTICK_TRY(check_options(options));
    return make_engine(rate, options).map([&](std::unique_ptr<Engine>&& engine) {
        return Loop(plain, std::move(engine));
    });
}

Loop::Loop(AccumulatorLoop plain, std::unique_ptr<Engine> engine)
    : plain_(plain), engine_(std::move(engine)) {}
Loop::Loop(const Loop& other)
    : plain_(other.plain_), engine_(other.engine_ ? other.engine_->clone() : nullptr) {}
Loop& Loop::operator=(const Loop& other) {
    return *this = Loop(other);
}
Loop::Loop(Loop&&) noexcept = default;
Loop& Loop::operator=(Loop&&) noexcept = default;
Loop::~Loop() = default;

double Loop::alpha_after(FrameTime later) const {
    return engine_ != nullptr ? engine_->alpha_after(later) : plain_.alpha_after(later);
}

const AccumulatorLoop* Loop::accumulator() const {
    return engine_ != nullptr ? engine_->accumulator() : &plain_;
}

Fraction Loop::stockpile() const {
    return engine_ != nullptr ? engine_->stockpile() : Fraction{0, 1};
}

}  // namespace isotick::core
