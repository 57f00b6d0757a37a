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

namespace isotick::program {
namespace {

// All that a signal handler may touch.
volatile std::sig_atomic_t interrupted = 0;

/// Takes interrupts while it lives.
class InterruptWatch {
  public:
    InterruptWatch() {
        struct sigaction action {};
        action.sa_handler = [](int) { interrupted = 1; };
        action.sa_flags = static_cast<int>(SA_RESETHAND);
        interrupted = 0;
        sigaction(SIGINT, &action, &before_);
    }
    ~InterruptWatch() { sigaction(SIGINT, &before_, nullptr); }
    InterruptWatch(const InterruptWatch&) = delete;
    InterruptWatch& operator=(const InterruptWatch&) = delete;

  private:
    struct sigaction before_ {};
};

}  // namespace

std::function<bool()> stop_when_interrupted() {
    return [watch = std::shared_ptr<InterruptWatch>()]() mutable {
        if (!watch) {
            watch = std::make_shared<InterruptWatch>();
        }
        return interrupted != 0;
    };
}

namespace {

constexpr std::size_t kBarWidth = 40;
constexpr std::chrono::seconds kCountEvery(5);

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

void Console::progress(std::string_view what, std::size_t done, std::size_t total) {
    const int width = static_cast<int>(what.size());
    if (live_) {
        const std::size_t filled = kBarWidth * done / total;
        const std::string bar = std::string(filled, '#') + std::string(kBarWidth - filled, '.');
        std::fprintf(stderr, "\r%.*s [%s] %zu/%zu", width, what.data(), bar.c_str(), done, total);
        progress_shown_ = true;
        if (done == total) {
            clear_progress();
        }
        std::fflush(stderr);
    } else if (const auto now = std::chrono::steady_clock::now(); now - counted_ > kCountEvery) {
        counted_ = now;
        std::fprintf(stderr, "%.*s: %zu of %zu\n", width, what.data(), done, total);
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
