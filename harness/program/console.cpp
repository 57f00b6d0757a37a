#include "console.hpp"

#include "../src/report/rows.hpp"

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <unistd.h>
#include <utility>

namespace isotick::program {
namespace {

constexpr std::size_t kBarWidth = 40;
constexpr std::chrono::seconds kCountEvery(5);

bool takes_colour(int file) {
    const char* no_colour = std::getenv("NO_COLOR");
    return isatty(file) == 1 && (no_colour == nullptr || *no_colour == '\0');
}

const char* colour_of(harness::Verdict verdict) {
    switch (verdict) {
        case harness::Verdict::identical:
            return "\x1b[1;32m";
        case harness::Verdict::inconclusive:
            return "\x1b[1;33m";
        default:
            return "\x1b[1;31m";
    }
}

}  // namespace

Console::Console(std::string name)
    : name_(std::move(name)),
      colour_(takes_colour(STDOUT_FILENO)),
      live_(isatty(STDERR_FILENO) == 1) {}

void Console::report_to_stderr() {
    reports_aside_ = true;
    colour_ = takes_colour(STDERR_FILENO);
}

void Console::report(std::string_view text) {
    if (!reports_aside_) {
        print(text);
        return;
    }
    clear_progress();
    std::fwrite(text.data(), 1, text.size(), stderr);
}

void Console::error(std::string_view message) {
    remark("error: " + std::string(message));
}

void Console::remark(std::string_view message) {
    clear_progress();
    std::fprintf(stderr, "%s: %.*s\n", name_.c_str(), static_cast<int>(message.size()),
                 message.data());
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
    return colour_ ? colour_of(verdict) + word + "\x1b[0m" : word;
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
