#include "busy_run.hpp"

#include <isotick/core/detail/try.hpp>
#include <isotick/core/random.hpp>

#include <algorithm>
#include <array>
#include <utility>

namespace isotick::harness {
namespace {

using core::Result;

// More busy ticks than this show nothing new, and every one of them takes all of these calls.
constexpr std::uint64_t kMostBusyTicks = 600;
constexpr std::uint64_t kStretches = 8;

constexpr std::array kCalls{Call::begin_frame, Call::propose_input, Call::save, Call::visit_fields,
                            Call::render};

bool offers(const Stage& stage, Call call) {
    switch (call) {
        case Call::begin_frame:
            return stage.table().begin_frame != nullptr;
        case Call::propose_input:
            return stage.table().propose_input != nullptr;
        case Call::save:
            return stage.can(ISOTICK_CAN_SAVE);
        case Call::visit_fields:
            return stage.can(ISOTICK_HAS_FIELDS);
        case Call::render:
            return stage.table().render != nullptr;
    }
    return false;
}

/// One run with some of the calls.
class BusyRun {
  public:
    BusyRun(Stage& stage, core::Simulation& simulation, std::span<const Call> calls)
        : stage_(stage), simulation_(simulation), calls_(calls), random_(stage.plan().seed, 0) {}

    Result<std::optional<Parting>> run(const Future& future) {
        const std::uint64_t ticks = stage_.session().ticks();
        for (std::uint64_t tick = 0; tick < ticks; ++tick) {
            ISOTICK_TRY(call_before(tick));
            ISOTICK_TRY(stage_.step(simulation_, tick));
            ISOTICK_TRY(call_after(tick));
            ISOTICK_TRY_ASSIGN(const auto row, stage_.hash(simulation_, tick + 1));
            if (auto parts = stage_.differing(future.rows[tick + 1], row); !parts.empty()) {
                return Parting{tick + 1, std::move(parts)};
            }
        }
        return std::nullopt;
    }

  private:
    [[nodiscard]] bool calls(Call call, std::uint64_t tick) const {
        return is_busy(tick, stage_.session().ticks()) &&
               std::find(calls_.begin(), calls_.end(), call) != calls_.end();
    }

    // Frames from nothing to a quarter of a second, with their renders.
    Result<void> call_before(std::uint64_t tick) {
        const core::FrameTime frame_time{random_.between(0, 250'000'000)};
        return calls(Call::begin_frame, tick) ? stage_.begin_frame(simulation_, frame_time, tick)
                                              : Result<void>();
    }

    Result<void> call_after(std::uint64_t tick) {
        const std::uint64_t done = tick + 1;
        const double alpha = random_.unit_double();
        const std::uint64_t entropy = random_.next64();
        if (calls(Call::propose_input, tick)) {
            ISOTICK_TRY(stage_.propose(simulation_, entropy, done));
        }
        if (calls(Call::save, tick)) {
            ISOTICK_TRY(stage_.save(simulation_, done));
        }
        if (calls(Call::visit_fields, tick)) {
            ISOTICK_TRY(stage_.fields(simulation_, done));
        }
        return calls(Call::render, tick) ? stage_.render(simulation_, alpha, done) : Result<void>();
    }

    Stage& stage_;
    core::Simulation& simulation_;
    std::span<const Call> calls_;
    core::Pcg32 random_;
};

}  // namespace

std::string_view to_string(Call call) {
    switch (call) {
        case Call::begin_frame:
            return "begin_frame";
        case Call::propose_input:
            return "propose_input";
        case Call::save:
            return "save";
        case Call::visit_fields:
            return "visit_fields";
        case Call::render:
            return "render";
    }
    return "";
}

std::vector<Call> offered_calls(const Stage& stage) {
    std::vector<Call> offered;
    std::copy_if(kCalls.begin(), kCalls.end(), std::back_inserter(offered),
                 [&](Call call) { return offers(stage, call); });
    return offered;
}

// The first stretch begins with the session, each of the others ends with its eighth of it.
bool is_busy(std::uint64_t tick, std::uint64_t ticks) {
    if (ticks <= kMostBusyTicks) {
        return true;
    }
    constexpr std::uint64_t kLength = kMostBusyTicks / kStretches;
    const std::uint64_t stretch = tick * kStretches / ticks;
    const std::uint64_t end = ((stretch + 1) * ticks + kStretches - 1) / kStretches;
    return tick < kLength || (stretch > 0 && tick + kLength >= end);
}

Result<std::optional<Parting>> run_busily(Stage& stage, core::Simulation& simulation,
                                          std::span<const Call> calls, const Future& future) {
    return BusyRun(stage, simulation, calls).run(future);
}

}  // namespace isotick::harness
