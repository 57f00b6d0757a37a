#pragma once
// Options that several commands share, in groups.

#include "../command/option_list.hpp"
#include "options.hpp"

#include <string>
#include <vector>

namespace isotick::program {

/// Each a `key=value`; may be given several times.
void add_settings(OptionList& list, const char* name, std::vector<std::string>& settings,
                  const char* help);
/// Which simulation, and its environment.
void add_simulation(OptionList& list, CommonOptions& options, const char* help);
/// Whether what others may get to see has the values of `--environment` in it.
void add_with_environment(OptionList& list, CommonOptions& options);
/// The recording to write.
void add_output(OptionList& list, std::string& output, bool& force,
                const char* help = "The recording to write",
                const char* force_help = "Replace a recording that exists");
/// How worker processes are bounded; `many`: and how many there are.
void add_worker(OptionList& list, WorkerText& worker, bool many);
/// Which frame times, and which loop.
void add_host(OptionList& list, CommonOptions& options, const char* schedule);
/// How much work goes into making a failing schedule smaller.
void add_shrink(OptionList& list, std::string& shrink);
/// How many differing fields are listed, and the build that recorded.
void add_fields(OptionList& list, std::string& fields, std::string& recorded_by);
/// What must not matter, at values that the user names.
void add_vary(OptionList& list, std::vector<std::string>& vary, const char* type, const char* help);
/// Going back in time, as the axis of that name does.
void add_rollback(OptionList& list, std::string& rollback);
/// When a schedule is given up.
void add_frames(OptionList& list, std::uint64_t& most_frames);

}  // namespace isotick::program
