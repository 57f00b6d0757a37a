#include <isotick/harness/audit.hpp>

namespace isotick::harness {

std::string_view to_string(Measurement measurement) {
    switch (measurement) {
        case Measurement::snapshot:
            return "snapshot";
        case Measurement::coverage:
            return "coverage";
        case Measurement::hash:
            return "hash";
        case Measurement::liveness:
            return "liveness";
    }
    return "";
}

std::string_view to_string(RangeKind kind) {
    switch (kind) {
        case RangeKind::unused:
            return "unused";
        case RangeKind::seen:
            return "seen";
        case RangeKind::constant:
            return "constant";
        case RangeKind::derived:
            return "derived";
        case RangeKind::forgotten:
            return "forgotten";
        case RangeKind::unclear:
            return "unclear";
        case RangeKind::doubtful:
            return "doubtful";
        case RangeKind::pointer:
            return "pointer";
        case RangeKind::untried:
            return "untried";
    }
    return "";
}

std::string to_string(const BlindSpot& blind_spot) {
    return blind_spot.name.empty() ? blind_spot.text : blind_spot.name + ": " + blind_spot.text;
}

}  // namespace isotick::harness
