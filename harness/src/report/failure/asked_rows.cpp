#include "asked_rows.hpp"

#include "../../preload/site_names.hpp"
#include "../rows.hpp"

namespace isotick::harness {

std::string asked_rows(const std::vector<SystemReads>& reads) {
    std::string text;
    for (const SystemReads& one : reads) {
        std::string calls = one.call;
        for (const std::string& name : names_of(one.sites)) {
            calls += " ← " + name;
        }
        text += row("asked", calls + ", " + describe(one.place.activity, one.place.tick));
    }
    return text;
}

}  // namespace isotick::harness
