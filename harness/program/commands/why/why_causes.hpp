#pragma once
// What kind of thing makes a session fail, and what that means to whoever has to mend it.

#include <isotick/harness/verify.hpp>

#include <string>

namespace isotick::program {

enum class WhyCause {
    nothing,       ///< no trial failed
    blind_spot,    ///< nor did any, but hash or snapshot miss something
    frames,        ///< when frames come
    going_back,    ///< a snapshot that was loaded
    axis,          ///< a setting that must not matter
    changing_dt,   ///< a loop that changes dt
    build,         ///< another build is known to reproduce it
    elsewhere,     ///< the nominal replay fails, and no other cause was found
    how_recorded,  ///< the recording was driven otherwise than it is replayed
    chance,        ///< each run may end otherwise
    crash,
    hang,
    unreadable,
    nothing_shown,  ///< inconclusive
};

/// `shown`: the trial that the report explains; null where none failed.
[[nodiscard]] WhyCause cause_of(const harness::VerifyReport& report,
                                const harness::FailedTrial* shown);

/// One sentence, without the recording's name.
[[nodiscard]] std::string title_of(WhyCause cause);
/// What follows from it; may be empty.
[[nodiscard]] std::string meaning_of(WhyCause cause);
/// Where to look for the mistake; may be empty. `calls`: those that the simulation has.
[[nodiscard]] std::string where_to_look(WhyCause cause, const harness::HostCalls& calls);

}  // namespace isotick::program
