#pragma once
// One process, started for a check, and what can be said to it.

#include "check.hpp"
#include "connection.hpp"

#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <vector>

namespace isotick::harness::check {

struct Reply {
    Status status = Status::ok;
    core::Bytes body;
};

/// Every wait is as long as the stage's timeout at most. Errors are sentences about the process.
/// Movable; its stage must outlive it.
class Client {
  public:
    /// To whom nothing was said yet.
    [[nodiscard]] static core::Result<Client> start(Stage& stage);
    /// Asks what it is. Fails with `usage` where the command cannot be run.
    [[nodiscard]] core::Result<void> greet(ProcessInfo& info);
    /// Who has answered hello.
    [[nodiscard]] static core::Result<Client> greeted(Stage& stage);
    /// Who has made the simulation of the usual settings.
    [[nodiscard]] static core::Result<Client> created(Stage& stage);

    /// Appends one request to what is sent next.
    void queue(std::uint8_t verb, std::span<const std::byte> body);
    /// Sends what was queued, and bytes that are anything.
    [[nodiscard]] core::Result<void> send(std::span<const std::byte> bytes = {});
    /// Sends each byte when the process has read the one before, or seems to sleep.
    [[nodiscard]] core::Result<void> send_in_pieces(std::span<const std::byte> bytes);
    /// The answer to the oldest request that was sent.
    [[nodiscard]] core::Result<Reply> receive(Verb verb);
    /// The same, and its status must be one of these.
    [[nodiscard]] core::Result<Reply> receive(Verb verb, std::initializer_list<Status> statuses);

    /// Sends a request and waits for its answer, whatever its status.
    [[nodiscard]] core::Result<Reply> reply(Verb verb, std::span<const std::byte> body = {});
    /// The same, and its status must be ok: the body.
    [[nodiscard]] core::Result<core::Bytes> ask(Verb verb, std::span<const std::byte> body = {});
    /// The same, but its status must be one of these.
    [[nodiscard]] core::Result<Reply> ask_for(Verb verb, std::span<const std::byte> body,
                                              std::initializer_list<Status> statuses);

    [[nodiscard]] core::Result<void> step(std::uint64_t tick, const TickInputs& inputs);
    [[nodiscard]] core::Result<Hashes> hash();

    void hang_up() { connection_.hang_up(); }
    [[nodiscard]] Connection::Ending await_end(std::chrono::milliseconds patience) {
        return connection_.await_end(patience);
    }

  private:
    Client(Stage& stage, Connection connection)
        : stage_(&stage), connection_(std::move(connection)) {}

    Stage* stage_;
    Connection connection_;
};

/// Puts `where` before the message of a failure: where in the check it was.
template <class T>
[[nodiscard]] core::Result<T> told(const std::string& where, core::Result<T> result) {
    if (!result) {
        return came(where + result.error().message);
    }
    return result;
}

/// `status 1 (failed: its text)`.
[[nodiscard]] std::string status_text(const Reply& reply);

/// A whole request.
[[nodiscard]] core::Bytes request(Verb verb, std::span<const std::byte> body);

// Bodies of requests.
[[nodiscard]] core::Bytes hello_body();
/// With the usual settings, but for these.
[[nodiscard]] core::Bytes create_body(const Stage& stage, std::uint32_t players,
                                      const core::Settings& config);
[[nodiscard]] core::Bytes create_body(const Stage& stage);
[[nodiscard]] core::Bytes step_body(const Stage& stage, std::uint64_t tick,
                                    const TickInputs& inputs);
template <class T>
[[nodiscard]] core::Bytes number_body(T number) {
    core::Bytes body;
    core::put(body, number);
    return body;
}

/// The hashes in the body of an answer; fails where their number is not the parts'.
[[nodiscard]] core::Result<Hashes> hashes_in(const Stage& stage, std::span<const std::byte> body);

/// A request that makes no sense.
struct Nonsense {
    std::string words;                             ///< `to a step of 0 bytes`
    core::Result<Client> (*client)(Stage& stage);  ///< whom it is sent to
    Verb verb;
    core::Bytes body;
};

/// Sends each to a client of its own, which must answer with status 1.
[[nodiscard]] core::Result<void> must_refuse(Stage& stage, const std::vector<Nonsense>& requests);

/// Says whether the hashes are those; else `when` and which parts differ.
[[nodiscard]] core::Result<void> expect_same(const Stage& stage, const Hashes& before,
                                             const Hashes& after, const std::string& when);

}  // namespace isotick::harness::check
