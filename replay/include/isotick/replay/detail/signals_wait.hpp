#pragma once
// Steps that belong together, not to be ended by a signal between two of them.

#if !defined(_WIN32)
#include <csignal>
#endif

namespace isotick::replay {

#if defined(_WIN32)

class SignalsWait {};

#else

/// While it lives, no signal to this thread ends the process, SIGKILL excepted.
class SignalsWait {
  public:
    SignalsWait() {
        sigset_t all;
        sigfillset(&all);
        pthread_sigmask(SIG_SETMASK, &all, &before_);
    }
    ~SignalsWait() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
    SignalsWait(const SignalsWait&) = delete;
    SignalsWait& operator=(const SignalsWait&) = delete;

  private:
    sigset_t before_{};
};

#endif

}  // namespace isotick::replay
