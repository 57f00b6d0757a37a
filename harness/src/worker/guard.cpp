#include "guard.hpp"

#include "../platform/channel.hpp"
#include "../platform/pipes.hpp"

#include <isotick/harness/detail/worker/progress.hpp>

#include <cerrno>
#include <unistd.h>

namespace isotick::harness {
namespace {

// What the child started may keep its end open, so it is looked at too.
constexpr int kGuardLooksEveryMs = 10;

}  // namespace

void Progress::ask_guard() {
    char answer = 0;
    if (!send_message(guard, kGo) || !receive_message(guard, answer)) {
        cut_off = EPIPE;
        _exit(kBrokenChannel);
    }
}

void answer_until_end(const FileDescriptor& socket, const Process& child) {
    const int file = socket.get();
    char question = 0;
    while (file >= 0) {
        const bool ready = wait_to_read({&file, 1}, kGuardLooksEveryMs);
        const bool asked = ready && receive_message(file, question) && send_message(file, kGo);
        if (!asked && (ready || child.has_ended())) {
            return;
        }
    }
}

}  // namespace isotick::harness
