#include "bisect_json.hpp"

namespace isotick::program {

using harness::bisect::Judgement;
using harness::bisect::Signature;

Json signature_json(const std::optional<Signature>& signature) {
    if (!signature) {
        return nullptr;
    }
    return {{"tick", last_tick_json(signature->ticks_done)},
            {"exact", is_exact(*signature)},
            {"fields_known", signature->fields_known},
            {"fields", signature->fields}};
}

std::string step_json(const std::string& recording,
                      const std::optional<harness::bisect::Expectation>& expectation,
                      const Judgement& judgement, int code) {
    return document({{"recording", recording},
                     {"expected", expectation ? Json(to_string(*expectation)) : Json(nullptr)},
                     {"finding", to_string(judgement.finding)},
                     {"reason", text_json(judgement.reason)},
                     {"signature", signature_json(judgement.signature)},
                     {"fields", fields_json(judgement.fields)},
                     {"exit_code", code}});
}

}  // namespace isotick::program
