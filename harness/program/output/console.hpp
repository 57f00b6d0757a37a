#pragma once
// Where results and progress go, and what an interrupt does.

#include <isotick/core/result.hpp>
#include <isotick/harness/detail/verdict.hpp>

#include <chrono>
#include <csignal>
#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

namespace isotick::program {

// Letting the user end a search that he has seen enough of.

/// Whether the user has asked, with Ctrl-C, since the first call. A second Ctrl-C ends the program,
/// as does one before the first call.
[[nodiscard]] std::function<bool()> stop_when_interrupted();

/// While one lives, was_interrupted says whether Ctrl-C was pressed; a second time ends the
/// program.
class InterruptWatch {
  public:
    InterruptWatch();
    ~InterruptWatch();
    InterruptWatch(const InterruptWatch&) = delete;
    InterruptWatch& operator=(const InterruptWatch&) = delete;

  private:
    struct sigaction before_ {};
};

[[nodiscard]] bool was_interrupted();
/// Whether nothing that stop_when_interrupted is for has ended because of it.
[[nodiscard]] bool has_unanswered_interrupt();

// Where the program writes: results to stdout, progress and diagnostics to stderr.

/// Results are collected and written at the end, so that a failing stdout is noticed. What could
/// steer a terminal is escaped (core::printable), but for colours of the console's own.
class Console {
  public:
    /// Looks once whether stdout and stderr are terminals and whether NO_COLOR is set. Diagnostics
    /// begin with the program's `name`.
    explicit Console(std::string_view name);

    void print(std::string_view text);

    /// From now on stdout takes data, and reports go to stderr.
    void report_to_stderr();
    /// A report for people: a result, unless stdout takes data.
    void report(std::string_view text);

    /// `NAME: error: …` on stderr, in one line.
    void error(std::string_view message);
    /// `NAME: …` on stderr, in one line.
    void remark(std::string_view message);
    /// These lines as they are, on stderr: for a machine that reads it.
    void to_stderr(std::string_view lines);
    /// What a simulation printed, on stderr: each line indented under `NAME: WHOSE printed:`.
    void printed(std::string_view whose, std::string_view output);

    /// A progress bar on a terminal, a counter every few seconds elsewhere.
    void progress(std::string_view what, std::size_t done, std::size_t total);

    /// Of a run over many things: from now on progress tells of all of it, `what` is under way.
    /// `failed`: how many of those done have.
    void progress_of_run(std::string_view what, std::size_t done, std::size_t total,
                         std::size_t failed);
    void end_run();

    /// No progress is shown any more.
    void hide_progress();

    /// The verdict in capitals, coloured on a terminal.
    [[nodiscard]] std::string verdict(harness::Verdict verdict) const;

    /// Any word in capitals, coloured as that verdict is.
    [[nodiscard]] std::string headline(std::string_view word, harness::Verdict verdict) const;

    /// Writes the results once there are many, for reports of any length. Fails as flush does.
    [[nodiscard]] core::Result<void> drain();

    /// Writes the results. Fails if stdout does not take them all.
    [[nodiscard]] core::Result<void> flush();

  private:
    void clear_progress();

    std::string name_;
    std::string results_;
    bool reports_aside_ = false;
    bool colour_ = false;
    bool live_ = false;  // stderr is a terminal
    bool progress_shown_ = false;
    bool progress_hidden_ = false;
    std::string run_;  // what progress says of the whole run
    std::chrono::steady_clock::time_point run_begun_{};
    std::size_t done_before_ = 0;  // what the run found done when it began
    std::chrono::steady_clock::time_point counted_ = std::chrono::steady_clock::now();
};

}  // namespace isotick::program
