#include <isotick/harness/detail/verdict.hpp>

namespace isotick::harness {
namespace {

int gravity(Verdict verdict) {
    switch (verdict) {
        case Verdict::identical:
            return 0;
        case Verdict::inconclusive:
            return 1;
        case Verdict::unreadable:
            return 2;
        case Verdict::stalled:
            return 3;
        case Verdict::timed_out:
            return 4;
        case Verdict::crashed:
            return 5;
        case Verdict::diverged:
            return 6;
        case Verdict::nondeterministic:
            return 7;
    }
    return 0;
}

}  // namespace

std::string_view to_string(Verdict verdict) {
    switch (verdict) {
        case Verdict::identical:
            return "identical";
        case Verdict::diverged:
            return "diverged";
        case Verdict::nondeterministic:
            return "nondeterministic";
        case Verdict::crashed:
            return "crashed";
        case Verdict::timed_out:
            return "timed-out";
        case Verdict::stalled:
            return "stalled";
        case Verdict::unreadable:
            return "unreadable";
        case Verdict::inconclusive:
            return "inconclusive";
    }
    return "";
}

Verdict graver(Verdict a, Verdict b) {
    return gravity(a) < gravity(b) ? b : a;
}

int exit_code(Verdict verdict) {
    switch (verdict) {
        case Verdict::identical:
            return 0;
        case Verdict::diverged:
        case Verdict::nondeterministic:
            return 1;
        case Verdict::crashed:
        case Verdict::timed_out:
        case Verdict::stalled:
            return 5;
        case Verdict::unreadable:
            return 3;
        case Verdict::inconclusive:
            return 4;
    }
    return 0;
}

}  // namespace isotick::harness
