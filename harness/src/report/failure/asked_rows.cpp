#include "asked_rows.hpp"

#include "../../preload/site_names.hpp"
#include "../rows.hpp"

#include <isotick/core/detail/text/joined.hpp>

namespace isotick::harness {

std::string cause_row(const std::vector<AxisValue>& axes, std::string_view why) {
    std::vector<std::string> names;
    for (const AxisValue& value : axes) {
        names.push_back(value.axis);
    }
    return names.empty() ? "" : row("cause", core::joined(names, " and ") + std::string(why));
}

std::string asked_rows(const std::vector<SystemReads>& reads) {
    std::string text;
    for (const SystemReads& one : reads) {
        for (const SystemCall& call : one.first) {
            std::string calls = call.name;
            for (const std::string& name : names_of(call.sites)) {
                calls += " ← " + name;
            }
            text += row("asked", calls + ", " + describe(call.place.activity, call.place.tick));
        }
    }
    return text;
}

}  // namespace isotick::harness
