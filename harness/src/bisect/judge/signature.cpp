#include "signature.hpp"

#include "../tools/first_names.hpp"

namespace isotick::harness::bisect {
namespace {

bool is_shared(const core::FieldDifference& difference) {
    return difference.kind == core::DifferenceKind::value ||
           difference.kind == core::DifferenceKind::length;
}

}  // namespace

std::vector<std::string> shared_fields(const core::FieldDifferences& differences) {
    std::vector<bool> shared(differences.kinds.size(), false);
    for (const core::FieldDifference& difference : differences.listed) {
        if (is_shared(difference)) {
            shared[difference.field_kind] = true;
        }
    }
    std::vector<std::string> fields;
    for (std::size_t kind = 0; kind < shared.size(); ++kind) {
        if (shared[kind]) {
            fields.push_back(differences.kinds[kind].path);
        }
    }
    return fields;
}

std::string to_string(const Signature& signature) {
    constexpr std::size_t kMostShown = 4;
    return describe_state(signature.ticks_done) +
           (signature.fields.empty() ? "" : ", " + first_names(signature.fields, kMostShown));
}

}  // namespace isotick::harness::bisect
