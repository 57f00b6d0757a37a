#pragma once
// The harness's side of PROTOCOL.md: one process, its messages and its answers.

#include "../system/channel.hpp"
#include "../system/child_process.hpp"
#include "wire.hpp"

#include <isotick/core/detail/bytes.hpp>
#include <isotick/core/plugin.h>
#include <isotick/core/result.hpp>

#include <chrono>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace isotick::harness {

// Requests to a process and its answers, many of them under way at a time.

struct Answer {
    Status status = Status::ok;
    std::span<const std::byte> body;  ///< valid until the next call of the connection
};

/// `was killed by signal 11 (…)`, `ended with exit code 3`: of a command that a shell may have
/// started.
[[nodiscard]] std::string end_in_words(ProcessEnd end);

/// Talks to one process. What it does wrong comes back as an Error with code `simulation`: it
/// ended, wrote what is no answer, or did not answer in time. Movable; not thread-safe.
class Connection {
  public:
    using Patience = std::optional<std::chrono::milliseconds>;

    [[nodiscard]] static core::Result<Connection> open(const std::string& command);

    /// To a process that is apart (see ChildProcess); what it writes to stderr is added to
    /// `printed`, which must outlive the connection.
    [[nodiscard]] static core::Result<Connection> open_apart(const std::string& command,
                                                             BoundedText& printed);

    /// Where a request is appended, as a Message. It is on its way after `post`, or `receive`.
    [[nodiscard]] core::Bytes& requests() { return requests_; }

    /// Sends what was appended when enough of it has come together.
    [[nodiscard]] core::Result<void> post();

    /// Sends all that was appended, as long as the process reads; at most as long as `patience`.
    [[nodiscard]] core::Result<void> send(std::chrono::milliseconds patience);

    /// Waits until the process has read all that was sent, at most as long as `patience`.
    void await_reading(std::chrono::milliseconds patience) const;

    /// Waits for the answer to the oldest request without one, which was of `verb`; at most as long
    /// as `patience` where there is one.
    [[nodiscard]] core::Result<Answer> receive(Verb verb, Patience patience = std::nullopt);

    /// Asks the process to end, and waits until it has; see ChildProcess.
    std::optional<ProcessEnd> end() { return process_.end(); }

    /// How a process ended, and what it wrote besides the answers that were received.
    struct Ending {
        std::optional<ProcessEnd> process;  ///< none: it had to be killed
        std::string rest;                   ///< as a person would recognize it; empty: nothing
    };
    /// Whether the process has ended, which has been told.
    [[nodiscard]] bool is_over() const { return process_.out() < 0; }

    /// Closes its stdin.
    void hang_up();
    /// Waits until the process ends, at most as long as `patience`; then kills it.
    [[nodiscard]] Ending await_end(std::chrono::milliseconds patience);

  private:
    Connection(ChildProcess process, BoundedText* printed)
        : process_(std::move(process)), printed_(printed) {}

    [[nodiscard]] core::Result<bool> whole_answer(Verb verb) const;
    [[nodiscard]] core::Result<void> exchange(int timeout_ms);
    [[nodiscard]] core::Result<void> write_some();
    [[nodiscard]] core::Result<void> read_some();
    void read_errors();
    [[nodiscard]] tl::unexpected<core::Error> gone();
    [[nodiscard]] std::span<const std::byte> received() const {
        return std::span(answers_).subspan(taken_);
    }

    ChildProcess process_;
    BoundedText* printed_;  // null: its stderr is ours
    core::Bytes requests_;  // not yet written
    core::Bytes answers_;   // read
    std::size_t taken_ = 0;
    bool deaf_ = false;      // it no longer reads
    bool answered_ = false;  // it has written something
    std::optional<ProcessEnd> ended_;
};

// The longer requests, and what is in answers to create and step.

/// Each appends one request to `out`.
void put_create(core::Bytes& out, const isotick_setup& setup);
void put_step(core::Bytes& out, const isotick_step& step);

/// The parts' names in the body of a good answer to create.
[[nodiscard]] core::Result<std::vector<std::string>> part_names_in(std::span<const std::byte> body);

/// The names of the checkpoints in the body of a good answer to step.
[[nodiscard]] core::Result<std::vector<std::string>> checkpoints_in(
    std::span<const std::byte> body);

}  // namespace isotick::harness
