#include "cause.hpp"

#include "../axes/axes.hpp"
#include "chance.hpp"
#include "experiment.hpp"

#include <isotick/core/detail/try.hpp>

#include <cstddef>
#include <utility>

namespace isotick::harness {
namespace {

using core::Result;

Drive with_axes(std::vector<AxisValue> axes) {
    Drive drive;
    drive.axes = std::move(axes);
    return drive;
}

/// The search for the least that makes runs fail which do not fail without it.
class LeastCause {
  public:
    LeastCause(const TrialPlan& plan, const TrialResult& result, const TrialRunner& run)
        : drive_(plan.drive), capabilities_(result.capabilities), lab_(plan, run) {}

    Result<std::optional<FoundCause>> find_among(const std::vector<Drive>& drives) {
        for (const Drive& alone : drives) {
            ISOTICK_TRY_ASSIGN(auto cause, shown(alone));
            if (cause) {
                return cause;
            }
        }
        return std::nullopt;
    }

    Result<std::optional<FoundCause>> find() {
        ISOTICK_TRY_ASSIGN(auto cause, find_among(simpler_drives()));
        if (cause) {
            return cause;
        }
        ISOTICK_TRY_ASSIGN(cause, shown(drive_));
        if (!cause) {
            return cause;
        }
        return leave_out(*std::move(cause));
    }

  private:
    // Frames alone, then what memory holds, then each axis alone and what it brings along.
    [[nodiscard]] std::vector<Drive> simpler_drives() const {
        std::vector<Drive> drives;
        if (!drive_.has_nominal_frames()) {
            drives.push_back(drive_);
            drives.back().axes.clear();
        }
        std::vector<AxisValue> values = more_basic(drive_.axes, true, capabilities_);
        values.insert(values.end(), drive_.axes.begin(), drive_.axes.end());
        for (AxisValue& value : values) {
            drives.push_back(with_axes({std::move(value)}));
        }
        std::erase(drives, drive_);
        return drives;
    }

    Result<std::optional<FoundCause>> shown(const Drive& drive) {
        if (drive == Drive()) {
            return std::nullopt;
        }
        Drive placebo = drive;
        for (AxisValue& value : placebo.axes) {
            value = placebo_of(value);
        }
        ISOTICK_TRY_ASSIGN(
            auto evidence,
            lab_.compare(drive, Drive(),
                         drive.axes.empty() ? std::nullopt : std::optional(placebo)));
        return evidence ? std::optional(FoundCause{drive.axes, evidence}) : std::nullopt;
    }

    Result<std::optional<FoundCause>> leave_out(FoundCause cause) {
        Drive drive = drive_;
        for (std::size_t i = drive.axes.size(); i-- > 0 && drive.axes.size() > 1;) {
            Drive fewer = drive;
            fewer.axes.erase(fewer.axes.begin() + static_cast<std::ptrdiff_t>(i));
            ISOTICK_TRY_ASSIGN(auto found, shown(fewer));
            if (found) {
                drive = std::move(fewer);
                cause = *std::move(found);
            }
        }
        return std::optional(std::move(cause));
    }

    const Drive& drive_;
    std::uint64_t capabilities_;
    Lab lab_;
};

}  // namespace

Result<FoundCause> find_cause(const TrialPlan& plan, const TrialResult& result,
                              const TrialRunner& run) {
    ISOTICK_TRY_ASSIGN(auto chance, find_chance(plan, result, run));
    if (!chance.empty()) {
        return FoundCause{std::move(chance), std::nullopt};
    }
    ISOTICK_TRY_ASSIGN(auto least, LeastCause(plan, result, run).find());
    if (least) {
        return *std::move(least);
    }
    return find_memory(plan, result, run).map([](std::vector<AxisValue>&& axes) {
        return FoundCause{std::move(axes), std::nullopt};
    });
}

Result<std::optional<FoundCause>> find_side_effect(const TrialPlan& plan, const TrialResult& result,
                                                   const TrialRunner& run) {
    if (plan.drive.axes.size() != 1 || !plan.drive.has_nominal_frames()) {
        return std::nullopt;
    }
    std::vector<Drive> drives;
    for (AxisValue& value : side_effects(plan.drive.axes.front(), result.capabilities)) {
        drives.push_back(with_axes({std::move(value)}));
    }
    return LeastCause(plan, result, run).find_among(drives);
}

}  // namespace isotick::harness
