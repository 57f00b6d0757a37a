#include "unfinished.hpp"

namespace isotick::harness {

std::string unfinished(const ShrinkEffort& effort) {
    switch (effort.end) {
        case ShrinkEnd::complete:
            return "";
        case ShrinkEnd::out_of_budget:
            return "the budget of ticks was used up";
        case ShrinkEnd::stopped:
            return "it was interrupted";
        case ShrinkEnd::runner_failed:
            return "a trial could not be run: " +
                   (effort.error ? describe(*effort.error) : std::string("no reason is known"));
    }
    return "";
}

}  // namespace isotick::harness
