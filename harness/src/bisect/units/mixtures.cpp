#include "mixtures.hpp"

#include "../../platform/processes/command.hpp"

#include <isotick/core/detail/try.hpp>

namespace isotick::harness::bisect {

using core::Result;

Effect effect_of(const Mixed& mixed) {
    if (!mixed.failure.empty()) {
        return Effect::unknown;
    }
    switch (mixed.judgement.finding) {
        case Finding::identical:
            return Effect::none;
        case Finding::diverged:
            return Effect::differs;
        case Finding::nondeterministic:
        case Finding::crashed:
        case Finding::not_loading:
        case Finding::another_simulation:
        case Finding::not_comparable:
            break;
    }
    return Effect::unknown;
}

Result<Mixed> Mixtures::link(const std::vector<UnitObjects>& objects, std::string what) {
    if (limits_.stop && limits_.stop()) {
        return interrupted();
    }
    const std::string folder = next_folder();
    ++links_;
    ISOTICK_TRY_ASSIGN(auto linked, linker_.link(objects, folder, limits_));
    Mixed mixed;
    mixed.what = std::move(what);
    mixed.failure = std::move(linked.failure);
    mixed.log = std::move(linked.log);
    mixed.simulation = std::move(linked.simulation);
    return mixed;
}

Result<Mixed> Mixtures::judge(const std::vector<UnitObjects>& objects, std::string what,
                              const Judge& judge) {
    ISOTICK_TRY_ASSIGN(auto mixed, link(objects, std::move(what)));
    if (mixed.failure.empty()) {
        ISOTICK_TRY_ASSIGN(mixed.judgement, judge.judge(SimulationName::chosen(mixed.simulation)));
    }
    if (on_mixture_) {
        on_mixture_(mixed);
    }
    return mixed;
}

}  // namespace isotick::harness::bisect
