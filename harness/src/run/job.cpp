#include "job.hpp"

#include "../axes/elsewhere.hpp"
#include "../system/process.hpp"

#include <isotick/harness/detail/progress.hpp>

#include <utility>

namespace isotick::harness {
namespace {

using core::ErrorCode;
using core::Result;

template <class Message>
Result<Message> parse(std::string_view bytes) {
    return from_bytes<Message>(bytes).map_error([](const core::Error& error) {
        if (error.code == ErrorCode::io) {
            return error;  // this machine's
        }
        return core::Error{ErrorCode::simulation,
                           "a worker's message cannot be read: " + error.message,
                           {},
                           {},
                           {}};
    });
}

template <class T>
Result<T> parse_response(std::string_view bytes) {
    auto response = parse<Response>(bytes);
    if (!response) {
        return tl::unexpected(std::move(response.error()));
    }
    if (auto* failed = std::get_if<core::Error>(&*response)) {
        return tl::unexpected(std::move(*failed));
    }
    if (auto* result = std::get_if<T>(&*response)) {
        return std::move(*result);
    }
    return core::fail(ErrorCode::simulation, "a worker answers what it was not asked");
}

std::string packed(Response response) {
    return to_bytes(response);
}

}  // namespace

std::string bytes_of(Job job) {
    job.locales = own_locales();
    return to_bytes(job);
}

Result<Job> parse_job(std::string_view bytes) {
    return parse<Job>(bytes);
}

std::string run_job(const Job& job, const isotick_simulation_table& table, Progress& progress) {
    if (const auto* trial = std::get_if<TrialPlan>(&job.plan)) {
        const bool has_threads =
            (table.info->capabilities & ISOTICK_OWN_THREADS) != 0 || has_other_threads();
        TrialResult result = run_trial(*trial, table, progress);
        if (!has_threads && result.bad_end.empty() && has_other_threads()) {
            result.bad_end = "it left threads running";
        }
        return packed(std::move(result));
    }
    if (const auto* record = std::get_if<RecordPlan>(&job.plan)) {
        return packed(run_record(*record, table, progress));
    }
    if (const auto* probe = std::get_if<ProbePlan>(&job.plan)) {
        return packed(run_probe(*probe, table, progress));
    }
    return packed(facts_of(table));
}

std::string run_job(const HeldTrial& held, const isotick_simulation_table& table,
                    Progress& progress, const BranchPoint& branch) {
    return packed(run_branching_trial(held.plan, table, progress, branch));
}

std::string led_response(LedResults results) {
    return packed(std::move(results));
}

std::string trial_response(TrialResult result) {
    return packed(std::move(result));
}

std::string held_response(std::uint64_t ticks) {
    return packed(HeldAt{ticks});
}

std::optional<std::uint64_t> parse_held_response(std::string_view bytes) {
    const auto held = parse_response<HeldAt>(bytes);
    return held ? std::optional(held->ticks) : std::nullopt;
}

std::string failed_response(const core::Error& error) {
    return packed(error);
}

Result<TrialResult> parse_trial_response(std::string_view bytes) {
    return parse_response<TrialResult>(bytes);
}

Result<LedResults> parse_led_response(std::string_view bytes) {
    return parse_response<LedResults>(bytes);
}

Result<RecordResult> parse_record_response(std::string_view bytes) {
    return parse_response<RecordResult>(bytes);
}

Result<ProbeResult> parse_probe_response(std::string_view bytes) {
    return parse_response<ProbeResult>(bytes);
}

Result<SimulationFacts> parse_facts_response(std::string_view bytes) {
    return parse_response<SimulationFacts>(bytes);
}

std::string describe(Activity activity, core::Tick tick) {
    const std::string number = std::to_string(tick.value);
    switch (activity) {
        case Activity::starting:
            return "before the simulation was touched";
        case Activity::loading:
            return "while loading the simulation";
        case Activity::creating:
            return "in create, before tick 0";
        case Activity::beginning_frame:
            return "in begin_frame, before tick " + number;
        case Activity::stepping:
            return "in step of tick " + number;
        case Activity::hashing:
            return "in hash after tick " + number;
        case Activity::showing_fields:
            return "in visit_fields after tick " + number;
        case Activity::rendering:
            return "in render after tick " + number;
        case Activity::proposing_input:
            return "in propose_input for tick " + number;
        case Activity::describing_inputs:
            return "while describing inputs, before tick 0";
        case Activity::destroying:
            return "in destroy after tick " + number;
        case Activity::saving:
            return "in save after tick " + number;
        case Activity::restoring:
            return "in load of a state after tick " + number;
        case Activity::visiting:
            return "while showing its state after tick " + number;
    }
    return "";
}

core::Error with_place(core::Error error, const Progress& progress) {
    if (error.code == core::ErrorCode::simulation && !error.tick) {
        const Place place = progress.place();
        error.message += ", " + describe(place.activity, place.tick);
    }
    return error;
}

}  // namespace isotick::harness
