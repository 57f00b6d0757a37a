#pragma once
// Keeps what a simulation in this process prints away from the results.

namespace isotick::harness {

/// As long as it lives, what is written to stdout goes to stderr. One at a time.
class StdoutAside {
  public:
    StdoutAside();
    ~StdoutAside();
    StdoutAside(const StdoutAside&) = delete;
    StdoutAside& operator=(const StdoutAside&) = delete;

    /// A descriptor of the real stdout; -1: it was closed.
    [[nodiscard]] int real_stdout() const { return kept_; }

  private:
    int kept_;
};

}  // namespace isotick::harness
