#pragma once
// How two states differ that should be equal.

#include <cstdint>
#include <string>
#include <vector>

namespace isotick::harness {

struct DifferingField {
    std::string path;
    std::string text;  ///< path, both values, and how far apart they are
    friend bool operator==(const DifferingField&, const DifferingField&) = default;
};

struct StateDifference {
    std::uint64_t ticks_done = 0;
    std::vector<std::string> parts;      ///< whose hashes differ
    std::vector<DifferingField> fields;  ///< the first that differ
    std::uint64_t fields_total = 0;
    bool fields_known = false;  ///< the simulation shows its fields
};

}  // namespace isotick::harness
