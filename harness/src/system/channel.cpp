#include "channel.hpp"

#include <isotick/core/detail/try.hpp>

#include <algorithm>
#include <array>
#include <cerrno>
#include <new>
#include <unistd.h>
#include <utility>

namespace isotick::harness {
namespace {

using core::Result;

constexpr int kOutOfTheWay = kWorkerResponse + 1;

Result<Ends> moved_up(Result<Ends> made) {
    ISOTICK_TRY_ASSIGN(const auto ends, std::move(made));
    ISOTICK_TRY_ASSIGN(auto reading, copy_of(ends.reading, kOutOfTheWay));
    ISOTICK_TRY_ASSIGN(auto writing, copy_of(ends.writing, kOutOfTheWay));
    return Ends{std::move(reading), std::move(writing)};
}

}  // namespace

Result<Ends> sockets_out_of_the_way() {
    return moved_up(make_sockets());
}

Result<Ends> pipe_out_of_the_way() {
    return moved_up(make_pipe());
}

Result<FileDescriptor> out_of_the_way(Result<FileDescriptor> made) {
    ISOTICK_TRY_ASSIGN(const auto file, std::move(made));
    return copy_of(file, kOutOfTheWay);
}

bool put_answer(int file, std::string_view answer, Progress& progress) {
    const bool done = put_content(file, answer).has_value();
    if (!done) {
        progress.cut_off = static_cast<std::uint32_t>(errno);
    }
    return done;
}

void answer_and_exit(int file, Progress& progress, const std::function<std::string()>& make) {
    try {
        _exit(put_answer(file, make(), progress) ? 0 : kBrokenChannel);
    } catch (const std::bad_alloc&) {
        progress.cut_off = ENOMEM;
        _exit(kBrokenChannel);
    }
}

int cut_off_by(const Progress& progress, const ProcessEnd& end) {
    const bool is_so = end.signal == 0 && end.exit_code == kBrokenChannel;
    return is_so ? static_cast<int>(progress.cut_off.load()) : 0;
}

bool is_closed(int reason) {
    constexpr std::array kReasons{EBADF, EPIPE, ESPIPE, ENOTSOCK, ECONNRESET, EINVAL};
    return std::ranges::find(kReasons, reason) != kReasons.end();
}

}  // namespace isotick::harness
