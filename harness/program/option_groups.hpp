#pragma once
// Options that several commands share, in groups. What they refer to must outlive the app.

#include "option_style.hpp"
#include "options.hpp"

#include <cstdint>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

namespace isotick::program {

/// An option that takes a whole number from `least` to `most`; shows its default.
template <class Number>
void add_number(CLI::App* app, const char* name, Number& number, const char* description,
                std::uint64_t least = 0, std::uint64_t most = UINT64_MAX) {
    shown_as("NUMBER", app->add_option(name, number, description))
        ->check(whole_number(least, most));
}

/// An option that takes one text; shows its default.
void add_text(CLI::App* app, const char* name, std::string& text, const char* type,
              const char* description);
/// An option that may be given several times.
CLI::Option* add_several(CLI::App* app, const char* name, std::vector<std::string>& texts,
                         const char* type, const char* description);
/// As above, each a `key=value`.
void add_settings(CLI::App* app, const char* name, std::vector<std::string>& settings,
                  const char* description);
/// Which simulation, and its environment.
void add_simulation(CLI::App* app, CommonOptions& options, const char* description);
/// How worker processes are bounded; `many`: and how many there are.
void add_worker(CLI::App* app, WorkerText& worker, bool many);
/// Which frame times, and which loop.
void add_host(CLI::App* app, CommonOptions& options, const char* schedule);
/// What decides a session, its inputs excepted.
void add_session(CLI::App* app, RecordOptions& options);
/// What verify does beside its trials: look for blind spots, leave its report in a folder.
void add_audit_and_report(CLI::App* app, std::string& audit, std::string& folder);
/// How many differing fields are listed, and the build that recorded.
/// How often a live session samples its inputs.
void add_sample(CLI::App* app, std::string& sample);
/// How much work goes into making a failing schedule smaller.
void add_shrink(CLI::App* app, std::string& shrink);
void add_fields(CLI::App* app, std::string& fields, std::string& recorded_by);
/// Settings that must not matter.
void add_vary(CLI::App* app, std::vector<std::string>& vary, const char* type,
              const char* description);
/// When a schedule is given up.
void add_frames(CLI::App* app, std::uint64_t& most_frames);

}  // namespace isotick::program
