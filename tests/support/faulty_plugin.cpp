// The simulation with planted faults as a plug-in; and another build of it, in which the fault
// `build` is there without being asked for.

#include "faulty.hpp"

namespace {

#if defined(ISOTICK_OTHER_BUILD)
isotick::core::SimulationSetup with_fault(isotick::core::SimulationSetup setup) {
    if (!setup.environment.find("fault")) {
        static_cast<void>(setup.environment.set("fault", "build"));
    }
    return setup;
}

class Build : public isotick::tests::Faulty {
  public:
    explicit Build(const isotick::core::SimulationSetup& setup) : Faulty(with_fault(setup)) {
        counter += setup.environment.find("initial") ? 1U : 0U;
    }
};
#else
using Build = isotick::tests::Faulty;
#endif

}  // namespace

ISOTICK_SIMULATION(Build)
