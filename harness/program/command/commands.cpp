#include "command.hpp"

#include <array>

namespace isotick::program {

extern const Command kAuditCommand;
extern const Command kBisectBuildCommand;
extern const Command kBisectCommitsCommand;
extern const Command kBisectStepCommand;
extern const Command kBisectTicksCommand;
extern const Command kDiffCommand;
extern const Command kExportCommand;
extern const Command kImportCommand;
extern const Command kInspectCommand;
extern const Command kLockstepCommand;
extern const Command kLoopsCommand;
extern const Command kMinimizeCommand;
extern const Command kRecordCommand;
extern const Command kRepairCommand;
extern const Command kReplayCommand;
extern const Command kServeCommand;
extern const Command kSimsCommand;
extern const Command kVerifyCommand;
extern const Command kWhyCommand;

std::span<const Command* const> commands() {
    static constexpr std::array kCommands{
        &kSimsCommand,       &kLoopsCommand,       &kRecordCommand,     &kReplayCommand,
        &kVerifyCommand,     &kLockstepCommand,    &kWhyCommand,        &kMinimizeCommand,
        &kDiffCommand,       &kInspectCommand,     &kRepairCommand,     &kExportCommand,
        &kImportCommand,     &kAuditCommand,       &kServeCommand,      &kBisectCommitsCommand,
        &kBisectStepCommand, &kBisectTicksCommand, &kBisectBuildCommand};
    return kCommands;
}

std::span<const CommandGroup> command_groups() {
    static constexpr std::array kGroups{CommandGroup{
        "bisect", "Find what changed what a session comes to: a commit, a tick, a flag",
        "Example:\n"
        "  git bisect run isotick bisect step s.isotick --sim ./game.so\n"
        "  isotick bisect ticks monday.isotick ./tuesday.so"}};
    return kGroups;
}

}  // namespace isotick::program
