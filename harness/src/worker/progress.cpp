#include <isotick/harness/detail/worker/progress.hpp>

#include <utility>

namespace isotick::harness {

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
