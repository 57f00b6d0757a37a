#include "probe.hpp"

#include <isotick/core/detail/caught.hpp>
#include <isotick/harness/detail/process_simulation.hpp>

#include <exception>

namespace isotick::harness {
namespace {

void play_probe(Stage& stage, ProbeResult& result) {
    switch (stage.plan().kind) {
        case ProbeKind::liveness:
            return probe_liveness(stage, result);
        case ProbeKind::restore:
            return probe_restore(stage, result);
        case ProbeKind::reload:
            return probe_reload(stage, result);
        case ProbeKind::transplant:
            return probe_transplant(stage, result);
        case ProbeKind::map:
            return probe_map(stage, result);
        case ProbeKind::poison:
            return probe_poison(stage, result);
        case ProbeKind::flip:
            return probe_flip(stage, result);
        case ProbeKind::writer:
            return probe_writer(stage, result);
    }
}

void refuse(ProbeResult& result, const core::Error& error) {
    result.verdict = Verdict::unreadable;
    result.reason = describe(error);
    if (error.code == core::ErrorCode::usage) {
        result.verdict = Verdict::inconclusive;
        result.refused = error;
    }
}

}  // namespace

ProbeResult run_probe(const ProbePlan& plan, const isotick_simulation_table& table,
                      Progress& progress) {
    ProbeResult result;
    result.capabilities = table.info->capabilities;
    try {
        Stage stage(plan, table, progress);
        if (auto opened = stage.open(); !opened) {
            refuse(result, opened.error());
        } else {
            play_probe(stage, result);
        }
        const auto lacking = ProcessSimulation::take_notes(table).shortage;
        if (const auto& shortage = stage.shortage() ? stage.shortage() : lacking) {
            result.verdict = Verdict::inconclusive;
            result.refused = shortage;
        }
        result.work = stage.work();
        result.float_leaks = stage.float_leaks();
    } catch (const std::exception& thrown) {
        const auto error =
            core::caught(thrown, core::ErrorCode::simulation, "the probe itself failed: ");
        refuse(result, error);
        result.verdict = error.code == core::ErrorCode::io ? result.verdict : Verdict::crashed;
    }
    return result;
}

}  // namespace isotick::harness
