#include "interrupt.hpp"

#include <csignal>
#include <memory>

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

}  // namespace isotick::program
