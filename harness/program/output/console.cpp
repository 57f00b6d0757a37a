#include "console.hpp"

#include "../../src/system/rows.hpp"

#include <isotick/core/detail/text.hpp>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <unistd.h>

#include <fmt/format.h>

namespace isotick::program {
namespace {

// All that a signal handler may touch.
volatile std::sig_atomic_t interrupted = 0;

enum Interrupt : std::sig_atomic_t { kNone, kUnanswered, kAnswered };
int watches = 0;

}  // namespace

InterruptWatch::InterruptWatch() {
    struct sigaction action {};
    action.sa_handler = [](int) { interrupted = kUnanswered; };
    action.sa_flags = static_cast<int>(SA_RESETHAND);
    interrupted = watches++ == 0 ? kNone : interrupted;
    sigaction(SIGINT, &action, &before_);
}

InterruptWatch::~InterruptWatch() {
    --watches;
    sigaction(SIGINT, &before_, nullptr);
}

bool was_interrupted() {
    return interrupted != kNone;
}

bool has_unanswered_interrupt() {
    return interrupted == kUnanswered;
}

std::function<bool()> stop_when_interrupted() {
    return [watch = std::shared_ptr<InterruptWatch>()]() mutable {
        if (!watch) {
            watch = std::make_shared<InterruptWatch>();
        }
        interrupted = interrupted == kNone ? kNone : kAnswered;
        return was_interrupted();
    };
}

namespace {

constexpr std::size_t kBarWidth = 40;
constexpr std::size_t kLineWidth = 79;  // a longer one could not be taken back
constexpr std::chrono::seconds kCountEvery(5);

// `50 s`, `3 min`, `2.5 h`
std::string rough_text(std::chrono::duration<double> time) {
    const double seconds = time.count();
    return seconds < 100    ? fmt::format("{:.0f} s", seconds)
           : seconds < 6000 ? fmt::format("{:.0f} min", seconds / 60)
                            : fmt::format("{:.1f} h", seconds / 3600);
}

bool takes_colour(int file) {
    const char* no_colour = std::getenv("NO_COLOR");
    return isatty(file) == 1 && (no_colour == nullptr || *no_colour == '\0');
}

constexpr std::string_view kGreen = "\x1b[1;32m";
constexpr std::string_view kYellow = "\x1b[1;33m";
constexpr std::string_view kRed = "\x1b[1;31m";
constexpr std::string_view kPlain = "\x1b[0m";

std::string_view colour_of(harness::Verdict verdict) {
    switch (verdict) {
        case harness::Verdict::identical:
            return kGreen;
        case harness::Verdict::inconclusive:
            return kYellow;
        default:
            return kRed;
    }
}

// The colour that `text` begins with; nothing where it begins with none.
std::string_view leading_colour(std::string_view text) {
    for (const std::string_view colour : {kGreen, kYellow, kRed, kPlain}) {
        if (text.starts_with(colour)) {
            return colour;
        }
    }
    return "";
}

// The last line of defence: a report has made printable what it took from elsewhere.
std::string safe_text(std::string_view text, bool colour) {
    std::string safe;
    for (;;) {
        const std::size_t escape = colour ? text.find('\x1b') : std::string_view::npos;
        safe += core::printable_lines(text.substr(0, escape));
        if (escape == std::string_view::npos) {
            return safe;
        }
        text.remove_prefix(escape);
        const std::string_view own = leading_colour(text);
        safe += own.empty() ? core::printable(text.substr(0, 1)) : std::string(own);
        text.remove_prefix(std::max<std::size_t>(own.size(), 1));
    }
}

}  // namespace

Console::Console(std::string_view name)
    : name_(core::printable(name)),
      colour_(takes_colour(STDOUT_FILENO)),
      live_(isatty(STDERR_FILENO) == 1) {}

void Console::report_to_stderr() {
    reports_aside_ = true;
    colour_ = takes_colour(STDERR_FILENO);
}

void Console::print(std::string_view text) {
    results_ += safe_text(text, colour_);
}

void Console::report(std::string_view text) {
    if (!reports_aside_) {
        print(text);
        return;
    }
    clear_progress();
    std::fputs(safe_text(text, colour_).c_str(), stderr);
}

void Console::error(std::string_view message) {
    remark("error: " + std::string(message));
}

void Console::remark(std::string_view message) {
    clear_progress();
    std::fprintf(stderr, "%s: %s\n", name_.c_str(), core::printable(message).c_str());
}

void Console::to_stderr(std::string_view lines) {
    clear_progress();
    const std::string printable = core::printable_lines(lines);
    std::fwrite(printable.data(), 1, printable.size(), stderr);
}

void Console::printed(std::string_view whose, std::string_view output) {
    remark(std::string(whose) + " printed:");
    while (!output.empty()) {
        const std::size_t end = output.find('\n');
        std::fprintf(stderr, "  | %s\n", core::printable_lines(output.substr(0, end)).c_str());
        output.remove_prefix(end == std::string_view::npos ? output.size() : end + 1);
    }
}

void Console::progress_of_run(std::string_view what, std::size_t done, std::size_t total,
                              std::size_t failed) {
    const auto now = std::chrono::steady_clock::now();
    if (run_.empty()) {
        run_begun_ = now;
        done_before_ = done;
    }
    run_ = fmt::format("{} of {} recordings", done, total);
    run_ += failed == 0 ? "" : fmt::format(", {} failed", failed);
    if (done > done_before_) {
        run_ += fmt::format(
            ", {} left", rough_text((now - run_begun_) / (done - done_before_) * (total - done)));
    }
    run_ += ": " + core::printable(what);
}

void Console::end_run() {
    run_.clear();
    clear_progress();
}

void Console::hide_progress() {
    progress_hidden_ = true;
}

void Console::progress(std::string_view what, std::size_t done, std::size_t total) {
    if (progress_hidden_) {
        return;
    }
    const auto now = std::chrono::steady_clock::now();
    if (live_) {
        const std::size_t filled = kBarWidth * done / total;
        const std::string line =
            run_.empty() ? fmt::format("{} [{:.<{}}] {}/{}", what, std::string(filled, '#'),
                                       kBarWidth, done, total)
                         : fmt::format("{}: {} of {}", run_, done, total).substr(0, kLineWidth);
        std::fprintf(stderr, "\r\x1b[K%s", line.c_str());
        progress_shown_ = true;
        if (done == total && run_.empty()) {
            clear_progress();
        }
        std::fflush(stderr);
    } else if (now - counted_ > kCountEvery) {
        counted_ = now;
        const std::string where = run_.empty() ? std::string(what) : run_;
        std::fprintf(stderr, "%s: %zu of %zu\n", where.c_str(), done, total);
    }
}

void Console::clear_progress() {
    if (progress_shown_) {
        std::fputs("\r\x1b[K", stderr);
        progress_shown_ = false;
    }
}

std::string Console::verdict(harness::Verdict verdict) const {
    return headline(to_string(verdict), verdict);
}

std::string Console::headline(std::string_view text, harness::Verdict verdict) const {
    const std::string word = harness::in_capitals(text);
    return colour_ ? std::string(colour_of(verdict)) + word + std::string(kPlain) : word;
}

core::Result<void> Console::drain() {
    constexpr std::size_t kMany = std::size_t{1} << 16;
    return results_.size() < kMany ? core::Result<void>() : flush();
}

core::Result<void> Console::flush() {
    const bool written =
        std::fwrite(results_.data(), 1, results_.size(), stdout) == results_.size() &&
        std::fflush(stdout) == 0;
    results_.clear();
    if (!written) {
        return core::fail(core::ErrorCode::io,
                          std::string("cannot write the results: ") + std::strerror(errno));
    }
    return {};
}

}  // namespace isotick::program
