#include "verdict.hpp"

#include <isotick/core/detail/text.hpp>
#include <isotick/harness/detail/verdict.hpp>

#include <algorithm>
#include <cstddef>
#include <iterator>

namespace isotick::harness {
namespace {

std::vector<std::string> without(std::span<const std::string> names,
                                 std::span<const std::string> others) {
    std::vector<std::string> rest;
    std::ranges::copy_if(names, std::back_inserter(rest), [&](const std::string& name) {
        return std::ranges::find(others, name) == others.end();
    });
    return rest;
}

// The clause that says so; empty where there are none.
std::string clause(const char* one, const char* several, const std::vector<std::string>& names) {
    return names.empty() ? ""
                         : std::string(names.size() == 1 ? one : several) + core::joined(names);
}

}  // namespace

std::vector<std::string> differing_parts(const NamedParts& a, const NamedParts& b) {
    if (a.names.size() != a.hashes.size() || b.names.size() != b.hashes.size()) {
        return {};
    }
    std::vector<std::string> parts;
    for (std::size_t i = 0; i < a.names.size(); ++i) {
        for (std::size_t j = 0; j < b.names.size(); ++j) {
            if (a.names[i] == b.names[j] && a.hashes[i] != b.hashes[j]) {
                parts.push_back(a.names[i]);
            }
        }
    }
    for (const std::string& name : without(a.names, b.names)) {
        parts.push_back(name + " (only the first has it)");
    }
    for (const std::string& name : without(b.names, a.names)) {
        parts.push_back(name + " (only the second has it)");
    }
    if (parts.empty() && !std::ranges::equal(a.names, b.names)) {
        parts.emplace_back("the order of its parts");
    }
    return parts;
}

std::string changed_parts_text(std::span<const std::string> recorded,
                               std::span<const std::string> simulated) {
    const std::string more =
        clause("a part that the recording lacks: ", "parts that the recording lacks: ",
               without(simulated, recorded));
    const std::string less =
        clause("lacks a part that the recording has: ", "lacks parts that the recording has: ",
               without(recorded, simulated));
    if (more.empty() && less.empty()) {
        return "the simulation's state has its parts in another order than the recording: " +
               core::joined({simulated.begin(), simulated.end()}) + " instead of " +
               core::joined({recorded.begin(), recorded.end()});
    }
    return "the simulation's state " + (more.empty() ? "" : "has " + more) +
           (more.empty() || less.empty() ? "" : ", and ") + less;
}

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
