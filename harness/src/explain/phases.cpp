#include "differing_parts.hpp"

#include <isotick/harness/detail/explain/phases.hpp>

#include <algorithm>
#include <cstddef>

namespace isotick::harness {
namespace {

using Checkpoints = std::vector<Checkpoint>;

std::optional<PhasePoint> point_at(const Checkpoints& all, std::size_t index) {
    if (index >= all.size()) {
        return std::nullopt;
    }
    const std::string& name = all[index].name;
    const auto until = all.begin() + static_cast<std::ptrdiff_t>(index) + 1;
    const auto number = std::ranges::count(all.begin(), until, name, &Checkpoint::name);
    const bool is_only =
        number == 1 && std::ranges::count(until, all.end(), name, &Checkpoint::name) == 0;
    return PhasePoint{name, is_only ? 0 : static_cast<std::uint64_t>(number)};
}

std::string to_string(const std::optional<PhasePoint>& point) {
    if (!point) {
        return "none";
    }
    return '"' + point->name + '"' +
           (point->number == 0 ? "" : " #" + std::to_string(point->number));
}

}  // namespace

std::optional<Phases> compare_checkpoints(const TrialResult& a, const TrialResult& b) {
    const Checkpoints& one = a.checkpoints;
    const Checkpoints& other = b.checkpoints;
    if (one.empty() && other.empty()) {
        return std::nullopt;
    }
    std::size_t same = 0;
    while (same < std::min(one.size(), other.size()) && one[same].name == other[same].name &&
           one[same].hash == other[same].hash) {
        ++same;
    }
    Phases found;
    if (same == kMostCheckpoints) {
        found.unknown = "its first " + std::to_string(same) + " checkpoints are the same";
        return found;
    }
    found.after = same == 0 ? std::nullopt : point_at(one, same - 1);
    found.before = point_at(one, same);
    const auto there = point_at(other, same);
    found.forks = found.before ? !there || found.before->name != there->name : there.has_value();
    if (found.forks) {
        found.other = there;
    } else if (found.before) {
        found.parts =
            differing_parts({a.part_names, one[same].parts}, {b.part_names, other[same].parts});
    }
    return found;
}

std::string to_string(const Phases& phases) {
    if (!phases.unknown.empty()) {
        return "unknown: " + phases.unknown;
    }
    if (phases.forks) {
        return (phases.after ? "after " + to_string(phases.after) : "from the first on") +
               ", other checkpoints follow: " + to_string(phases.before) + " → " +
               to_string(phases.other);
    }
    if (!phases.after) {
        return "first differs before the first checkpoint, " + to_string(phases.before);
    }
    if (!phases.before) {
        return "first differs after the last checkpoint, " + to_string(phases.after);
    }
    return "first differs after " + to_string(phases.after) + ", before " +
           to_string(phases.before);
}

}  // namespace isotick::harness
