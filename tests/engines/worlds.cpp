// Says what an engine's plug-in does with several worlds in one process, one line for each:
//
//     isotick_engine_worlds PLUGIN [KEY=VALUE…]
//
//     afterwards same|differs     a world against one that is made after it has gone
//     turns same|differs          a second world takes turns with it
//     rollback same|differs|none  its bodies after it was saved, run on, loaded and run on again
//
// Ends with 2 where it was not told a plug-in, with 3 where the plug-in fails.

#include "support/engine_run.hpp"

#include <cstdio>

namespace isotick::engines {
namespace {

constexpr std::uint64_t kTicks = 600;
constexpr std::uint64_t kSaved = 200;
constexpr std::uint64_t kRunOn = 260;

struct Subject {
    const isotick_simulation_table* table;
    core::Settings config;

    [[nodiscard]] EngineRun run(std::uint64_t seed = 1) const { return {*table, seed, config}; }
};

core::StateHash hash_alone(const Subject& subject) {
    EngineRun run = subject.run();
    run.run_to(kTicks);
    return run.hash();
}

core::StateHash hash_in_turns(const Subject& subject) {
    EngineRun first = subject.run();
    EngineRun second = subject.run(2);
    while (first.tick() < kTicks) {
        second.step_with_bot();
        first.step_with_bot();
    }
    return first.hash();
}

const char* rollback(const Subject& subject) {
    EngineRun straight = subject.run();
    if (!straight.simulation().can_save()) {
        return "none";
    }
    straight.run_to(kTicks);
    const core::PartHash expected = straight.bodies_hash();
    EngineRun rolled_back = subject.run();
    rolled_back.run_to(kSaved);
    const auto snapshot = rolled_back.simulation().save();
    rolled_back.run_to(kRunOn);
    rolled_back.load(snapshot.value(), kSaved);
    rolled_back.run_to(kTicks);
    return rolled_back.bodies_hash() == expected ? "same" : "differs";
}

void say(const char* what, bool same) {
    std::printf("%s %s\n", what, same ? "same" : "differs");
}

int report(const Subject& subject) {
    const core::StateHash first = hash_alone(subject);
    say("afterwards", hash_alone(subject) == first);
    say("turns", hash_in_turns(subject) == first);
    std::printf("rollback %s\n", rollback(subject));
    return 0;
}

}  // namespace
}  // namespace isotick::engines

int main(int count, char** arguments) {
    using namespace isotick::engines;
    Subject subject{count < 2 ? nullptr : load_table(arguments[1]), {}};
    if (subject.table == nullptr) {
        std::fputs("usage: isotick_engine_worlds PLUGIN [KEY=VALUE…]\n", stderr);
        return 2;
    }
    for (int i = 2; i < count; ++i) {
        if (!subject.config.set_text(arguments[i])) {
            return 2;
        }
    }
    return report(subject);
}
