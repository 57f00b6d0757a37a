#include "busy_run.hpp"

#include <isotick/core/random.hpp>

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

namespace isotick::harness {
namespace {

using core::Result;

// More ticks than this show nothing new, and every one of them takes all of these calls.
constexpr std::uint64_t kMostTicks = 600;

enum class Call { begin_frame, propose_input, save, visit_fields, render };

constexpr std::array kCalls{
    std::pair{Call::begin_frame, "begin_frame"}, std::pair{Call::propose_input, "propose_input"},
    std::pair{Call::save, "save"}, std::pair{Call::visit_fields, "visit_fields"},
    std::pair{Call::render, "render"}};

/// One run with some of the calls.
class BusyRun {
  public:
    BusyRun(Stage& stage, core::Simulation& simulation, std::span<const Call> calls)
        : stage_(stage), simulation_(simulation), calls_(calls), random_(stage.plan().seed, 0) {}

    Result<std::optional<Parting>> run(const Future& future) {
        const std::uint64_t ticks = std::min(stage_.session().ticks(), kMostTicks);
        for (std::uint64_t tick = 0; tick < ticks; ++tick) {
            if (auto called = call_before(tick); !called) {
                return tl::unexpected(called.error());
            }
            if (auto stepped = stage_.step(simulation_, tick); !stepped) {
                return tl::unexpected(stepped.error());
            }
            if (auto called = call_after(tick + 1); !called) {
                return tl::unexpected(called.error());
            }
            const auto row = stage_.hash(simulation_, tick + 1);
            if (!row) {
                return tl::unexpected(row.error());
            }
            if (auto parts = stage_.differing(future.rows[tick + 1], *row); !parts.empty()) {
                return Parting{tick + 1, std::move(parts)};
            }
        }
        return std::nullopt;
    }

  private:
    [[nodiscard]] bool calls(Call call) const {
        return std::find(calls_.begin(), calls_.end(), call) != calls_.end();
    }

    // Frames from nothing to a quarter of a second, with their renders.
    Result<void> call_before(std::uint64_t tick) {
        const core::FrameTime frame_time{random_.between(0, 250'000'000)};
        if (!calls(Call::begin_frame)) {
            return {};
        }
        stage_.enter(Activity::beginning_frame, tick + 1);
        return simulation_.begin_frame(frame_time);
    }

    Result<void> call_after(std::uint64_t done) {
        const double alpha = random_.unit_double();
        if (calls(Call::propose_input) && simulation_.has_bot()) {
            if (auto proposed = propose(done); !proposed) {
                return proposed;
            }
        }
        if (calls(Call::save) && simulation_.can_save()) {
            stage_.enter(Activity::saving, done);
            if (auto saved = simulation_.save_into(bytes_); !saved) {
                return saved;
            }
        }
        if (calls(Call::visit_fields) && simulation_.has_fields()) {
            if (auto fields = stage_.fields(simulation_, done); !fields) {
                return tl::unexpected(fields.error());
            }
        }
        if (!calls(Call::render)) {
            return {};
        }
        stage_.enter(Activity::rendering, done);
        return simulation_.render(alpha);
    }

    Result<void> propose(std::uint64_t done) {
        std::vector<std::uint8_t> input;
        const std::uint32_t players = stage_.session().head().session.players;
        for (std::uint32_t column = 0; column <= players; ++column) {
            const std::uint32_t player = column == players ? ISOTICK_WORLD : column;
            stage_.enter(Activity::proposing_input, done);
            const auto proposed =
                simulation_.propose_input(player, core::Tick{done}, random_.next64(), input);
            if (!proposed) {
                return tl::unexpected(proposed.error());
            }
        }
        return {};
    }

    Stage& stage_;
    core::Simulation& simulation_;
    std::span<const Call> calls_;
    core::Pcg32 random_;
    Bytes bytes_;
};

Result<std::optional<Parting>> run_with(Stage& stage, const Future& future, Call call) {
    auto simulation = stage.create();
    if (!simulation) {
        return tl::unexpected(simulation.error());
    }
    return BusyRun(stage, *simulation, std::array{call}).run(future);
}

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

Disturbance disturbance(const char* call, Parting parting) {
    return {call, {parting.ticks_done, std::move(parting.parts), {}, 0, false}};
}

}  // namespace

Result<void> find_disturbances(Stage& stage, Stage::Instance& original, const Future& future,
                               LivenessFacts& facts) {
    constexpr std::array kAll{Call::begin_frame, Call::propose_input, Call::save,
                              Call::visit_fields, Call::render};
    const auto together = BusyRun(stage, *original, kAll).run(future);
    if (!together) {
        return tl::unexpected(together.error());
    }
    original.reset();
    for (const auto& [call, name] : kCalls) {
        if (offers(stage, call)) {
            facts.calls.emplace_back(name);
        }
    }
    if (!*together) {
        return {};
    }
    const std::size_t before = facts.disturbances.size();
    for (const auto& [call, name] : kCalls) {
        auto alone = run_with(stage, future, call);
        if (!alone) {
            return tl::unexpected(alone.error());
        }
        if (*alone) {
            facts.disturbances.push_back(disturbance(name, std::move(**alone)));
        }
    }
    if (facts.disturbances.size() == before) {
        facts.disturbances.push_back(disturbance("several calls together", **together));
    }
    return {};
}

}  // namespace isotick::harness
