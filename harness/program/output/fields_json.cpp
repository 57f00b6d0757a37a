#include "fields_json.hpp"

namespace isotick::program {
namespace {

using core::DifferenceKind;
using core::FieldDifference;
using core::FieldDifferences;
using harness::Json;

const char* word(DifferenceKind kind) {
    switch (kind) {
        case DifferenceKind::value:
            return "value";
        case DifferenceKind::length:
            return "length";
        case DifferenceKind::gone:
            return "gone";
        case DifferenceKind::added:
            return "added";
    }
    return "";
}

Json fixed_json(const std::optional<core::FixedDistance>& fixed) {
    return fixed ? Json{{"units", fixed->units}, {"fraction_bits", fixed->fraction_bits}} : Json();
}

Json difference_json(const FieldDifference& difference) {
    return {{"path", difference.path},
            {"field_kind", difference.field_kind},
            {"kind", word(difference.kind)},
            {"before", difference.before},
            {"after", difference.after},
            {"note", difference.note},
            {"ulps", harness::optional_json(difference.ulps)},
            {"fixed", fixed_json(difference.fixed)}};
}

}  // namespace

Json fields_json(const FieldDifferences& differences) {
    Json kinds = Json::array();
    for (const core::FieldKind& kind : differences.kinds) {
        kinds.push_back({{"path", kind.path}, {"part", kind.part}, {"total", kind.total}});
    }
    Json listed = Json::array();
    for (const FieldDifference& difference : differences.listed) {
        listed.push_back(difference_json(difference));
    }
    return {
        {"total", differences.total}, {"kinds", std::move(kinds)}, {"listed", std::move(listed)}};
}

Json fields_json(const harness::FieldReport& report) {
    Json json{{"known", report.known}, {"unknown", report.unknown}};
    if (report.known) {
        json.update(fields_json(report.differences));
    }
    return json;
}

}  // namespace isotick::program
