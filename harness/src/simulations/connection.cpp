#include "connection.hpp"

#include "../system/hex.hpp"
#include "../system/posix.hpp"
#include "../system/preload.hpp"

#include <isotick/core/detail/json.hpp>
#include <isotick/core/detail/text.hpp>
#include <isotick/core/detail/try.hpp>

#include <algorithm>
#include <array>
#include <bit>
#include <cerrno>
#include <climits>
#include <csignal>
#include <cstring>
#include <poll.h>
#include <span>
#include <thread>
#include <unistd.h>
#include <utility>

namespace isotick::harness {
namespace {

using core::ErrorCode;
using core::Result;
using Clock = OwnClock;

constexpr std::size_t kWorthSending = 32 * 1024;
constexpr std::size_t kMostUnsent = 1024 * 1024;
constexpr std::size_t kAnswerBlock = 64 * 1024;
constexpr std::uint32_t kLongestShortAnswer = 65536;

// What a shell ends with that cannot run its command.
constexpr int kNotExecutable = 126;
constexpr int kNotFound = 127;

std::uint32_t longest_answer(Verb verb) {
    switch (verb) {
        case Verb::save:
        case Verb::visit_fields:
        case Verb::note_writes:
        case Verb::describe_input:
        case Verb::compose_input:
        case Verb::propose_input:
            return kLongestMessage;
        case Verb::step:
            return kLongestStepAnswer;
        default:
            return kLongestShortAnswer;
    }
}

bool is_text(char character) {
    return (character >= ' ' && character != '\x7f') || character == '\n' || character == '\t';
}

// What a process wrote, as a person would recognize it: a line of text, or the bytes in place of
// the head of an answer. No more, since how much more there is depends on when one looks.
std::string excerpt(std::span<const std::byte> bytes) {
    constexpr std::size_t kMost = 60;
    constexpr std::size_t kHead = kSizeBytes + 1;
    const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    const std::string_view head = text.substr(0, kHead);
    if (std::all_of(head.begin(), head.end(), is_text)) {
        const auto end = std::find_if_not(text.begin(), text.end(), is_text);
        std::string line(text.begin(), std::find(text.begin(), end, '\n'));
        if (line.size() > kMost) {
            line = line.substr(0, kMost) + "…";
        }
        return "'" + line + "'";
    }
    std::string hex = "bytes";
    for (const std::byte byte : bytes.first(head.size())) {
        const auto number = std::to_integer<std::uint8_t>(byte);
        hex += ' ';
        append_hex(hex, {&number, 1});
    }
    return hex;
}

int milliseconds_until(Clock::time_point deadline) {
    const auto left =
        std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now());
    return static_cast<int>(std::clamp<std::chrono::milliseconds::rep>(left.count(), 0, INT_MAX));
}

bool would_block() {
    return errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR;
}

}  // namespace

// A shell that waits for its command ends with 128 and the signal that killed it.
std::string end_in_words(ProcessEnd end) {
    constexpr int kSignalled = 128;
    if (end.exit_code > kSignalled && end.exit_code < kSignalled + NSIG) {
        end = {0, end.exit_code - kSignalled};
    }
    return end.signal != 0 ? "was " + describe_end(end)
                           : "ended with exit code " + std::to_string(end.exit_code);
}

Result<Connection> Connection::open(const std::string& command) {
    return ChildProcess::start(command).map(
        [](ChildProcess&& process) { return Connection(std::move(process), nullptr); });
}

Result<Connection> Connection::open_apart(const std::string& command, BoundedText& printed) {
    return ChildProcess::start(command, ChildProcess::Kind::apart)
        .map([&printed](ChildProcess&& process) {
            return Connection(std::move(process), &printed);
        });
}

Result<void> Connection::post() {
    if (requests_.size() < kWorthSending) {
        return {};
    }
    auto sent = write_some();
    while (sent && requests_.size() >= kMostUnsent && !deaf_) {
        sent = exchange(-1);
    }
    return sent;
}

Result<void> Connection::send(std::chrono::milliseconds patience) {
    const auto deadline = Clock::now() + patience;
    auto sent = write_some();
    while (sent && !requests_.empty() && !deaf_) {
        const int left = milliseconds_until(deadline);
        if (left == 0) {
            return core::fail(ErrorCode::simulation, "its process reads no requests");
        }
        sent = exchange(left);
    }
    return sent;
}

void Connection::await_reading(std::chrono::milliseconds patience) const {
    constexpr std::chrono::microseconds kPause{50};
    const auto deadline = Clock::now() + patience;
    while (!deaf_ && has_unread(process_.in()) && Clock::now() < deadline) {
        std::this_thread::sleep_for(kPause);
    }
}

Result<Answer> Connection::receive(Verb verb, Patience patience) {
    const auto deadline = Clock::now() + patience.value_or(std::chrono::milliseconds(0));
    while (true) {
        ISOTICK_TRY_ASSIGN(const auto whole, whole_answer(verb));
        if (whole) {
            break;
        }
        const int timeout = patience ? milliseconds_until(deadline) : -1;
        if (timeout == 0) {
            return core::fail(ErrorCode::simulation, "its process did not answer within " +
                                                         std::to_string(patience->count()) + " ms");
        }
        ISOTICK_TRY(exchange(timeout));
    }
    core::ByteReader reader(received());
    const auto size = reader.get<std::uint32_t>();
    const auto status = static_cast<Status>(reader.get<std::uint8_t>());
    taken_ += kSizeBytes + size;
    return Answer{status, reader.take(size - 1)};
}

// Looks at size and status as soon as they are there: text in the place of answers is recognized
// by them, and never waited for.
Result<bool> Connection::whole_answer(Verb verb) const {
    core::ByteReader reader(received());
    const auto size = reader.get<std::uint32_t>();
    const auto status = reader.get<std::uint8_t>();
    if (!reader.ok()) {
        return false;
    }
    const bool is_status = status <= static_cast<std::uint8_t>(Status::unknown_verb);
    // Four bytes of text would be a larger size.
    if (verb == Verb::step && is_status && size > kLongestStepAnswer && size <= kLongestRequest) {
        return core::fail(ErrorCode::simulation,
                          "its process answered a step with " + std::to_string(size) + " bytes; " +
                              std::to_string(kLongestStepAnswer) + " are the most");
    }
    if (size == 0 || size > longest_answer(verb) || !is_status) {
        return core::fail(ErrorCode::simulation,
                          "its process wrote something to stdout that is not an answer: " +
                              excerpt(received()) + "; write everything else to stderr");
    }
    return reader.remaining() >= size - 1;
}

Result<void> Connection::exchange(int timeout_ms) {
    if (!requests_.empty() && !deaf_) {
        ISOTICK_TRY(write_some());
    }
    const bool sending = !requests_.empty() && !deaf_;
    // A descriptor of -1 is left out.
    std::array<pollfd, 3> ends{{{process_.out(), POLLIN, 0},
                                {sending ? process_.in() : -1, POLLOUT, 0},
                                {process_.err(), POLLIN, 0}}};
    const int ready = poll(ends.data(), ends.size(), timeout_ms);
    if (ready < 0 && errno != EINTR) {
        return system_failure("cannot wait for a process");
    }
    if (ready > 0 && ends.back().revents != 0) {
        read_errors();
    }
    return ready > 0 && ends.front().revents != 0 ? read_some() : Result<void>();
}

Result<void> Connection::write_some() {
    std::size_t done = 0;
    while (done < requests_.size() && !deaf_) {
        const ssize_t count =
            write_without_signal(process_.in(), requests_.data() + done, requests_.size() - done);
        if (count < 0 && would_block()) {
            break;
        }
        if (count < 0 && errno != EPIPE) {
            return system_failure("cannot write to a process");
        }
        deaf_ = count < 0;  // what it wrote before that is read all the same
        done += deaf_ ? 0 : static_cast<std::size_t>(count);
    }
    requests_.erase(requests_.begin(), requests_.begin() + static_cast<std::ptrdiff_t>(done));
    return {};
}

Result<void> Connection::read_some() {
    answers_.erase(answers_.begin(), answers_.begin() + static_cast<std::ptrdiff_t>(taken_));
    taken_ = 0;
    const std::size_t before = answers_.size();
    answers_.resize(before + kAnswerBlock);
    const ssize_t count = read(process_.out(), answers_.data() + before, kAnswerBlock);
    const bool later = count < 0 && would_block();
    answers_.resize(before + (count > 0 ? static_cast<std::size_t>(count) : 0));
    if (count > 0 || later) {
        answered_ = answered_ || count > 0;
        return {};
    }
    return count == 0 ? gone() : Result<void>(system_failure("cannot read from a process"));
}

void Connection::read_errors() {
    std::array<char, 4096> block{};
    const ssize_t count = read(process_.err(), block.data(), block.size());
    if (count > 0) {
        printed_->add({block.data(), static_cast<std::size_t>(count)});
    } else if (count == 0 || !would_block()) {
        process_.close_err();
    }
}

tl::unexpected<core::Error> Connection::gone() {
    const std::string rest =
        received().empty()
            ? ""
            : "; before that it wrote something that is not an answer: " + excerpt(received());
    ended_ = process_.end();
    const int errors = process_.err();  // all that it wrote there has come by now
    while (process_.err() >= 0 && wait_to_read({&errors, 1}, 0)) {
        read_errors();
    }
    if (!answered_ && ended_ && ended_->exit_code >= kNotExecutable &&
        ended_->exit_code <= kNotFound) {
        return core::fail(ErrorCode::usage,
                          "there is no such command, or it cannot be run (the shell ended with "
                          "exit code " +
                              std::to_string(ended_->exit_code) + ")");
    }
    const std::string end = !ended_ ? "closed its stdout" : end_in_words(*ended_);
    return core::fail(ErrorCode::simulation, "its process " + end + rest);
}

void Connection::hang_up() {
    process_.close_in();
    deaf_ = true;
}

Connection::Ending Connection::await_end(std::chrono::milliseconds patience) {
    const auto deadline = Clock::now() + patience;
    int left = milliseconds_until(deadline);
    while (left > 0 && exchange(left)) {
        left = milliseconds_until(deadline);
    }
    if (left == 0) {  // else it has ended, or at least its stdout
        ended_ = process_.end(std::chrono::milliseconds(0));
    }
    return {ended_, received().empty() ? "" : excerpt(received())};
}

namespace {

void put_settings(core::Bytes& out, std::span<const isotick_setting> settings) {
    core::put(out, static_cast<std::uint32_t>(settings.size()));
    for (const isotick_setting& setting : settings) {
        core::put_string(out, setting.key);
        core::put_string(out, setting.value);
    }
}

}  // namespace

void put_create(core::Bytes& out, const isotick_setup& setup) {
    const Message create(out, Verb::create);
    core::put(out, setup.players);
    core::put(out, setup.seed);
    core::put(out, setup.rate_numerator);
    core::put(out, setup.rate_denominator);
    put_settings(out, {setup.config, setup.config_count});
    put_settings(out, {setup.environment, setup.environment_count});
}

void put_step(core::Bytes& out, const isotick_step& step) {
    const Message message(out, Verb::step);
    core::put(out, step.tick);
    core::put(out, std::bit_cast<std::uint64_t>(step.dt_seconds));
    core::put(out, step.dt_num);
    core::put(out, step.dt_den);
    core::put(out, step.input_count);
    for (const isotick_input& input : std::span(step.inputs, step.input_count)) {
        if (input.present == 0) {
            core::put(out, kAbsentInput);
        } else {
            core::put(out, static_cast<std::uint32_t>(input.size));
            core::put_bytes(out, std::as_bytes(std::span(input.data, input.size)));
        }
    }
}

core::Result<std::vector<std::string>> part_names_in(std::span<const std::byte> body) {
    core::ByteReader reader(body);
    const auto count = reader.get<std::uint32_t>();
    if (count == 0 || count > ISOTICK_MOST_PARTS) {
        return core::fail(core::ErrorCode::simulation,
                          "its process answered with " + std::to_string(count) + " parts; 1 to " +
                              std::to_string(ISOTICK_MOST_PARTS) + " are allowed");
    }
    std::vector<std::string> names;
    for (std::uint32_t i = 0; i < count; ++i) {
        names.push_back(reader.string());
    }
    if (!reader.ok()) {
        return core::fail(core::ErrorCode::simulation,
                          "its process answered with names of parts that end too early");
    }
    return names;
}

core::Result<std::vector<std::string>> checkpoints_in(std::span<const std::byte> body) {
    if (body.empty()) {
        return {};
    }
    const auto bad = [](const std::string& what) {
        return core::fail(ErrorCode::simulation, "its process named " + what);
    };
    core::ByteReader reader(body);
    const auto count = reader.get<std::uint32_t>();
    if (count > kMostStepCheckpoints) {
        return bad(std::to_string(count) + " checkpoints in a step; " +
                   std::to_string(kMostStepCheckpoints) + " are the most");
    }
    std::vector<std::string> names;
    for (std::uint32_t i = 0; i < count && reader.ok(); ++i) {
        std::string name = reader.string();
        if (name.size() > kLongestCheckpointName) {
            return bad("a checkpoint in " + std::to_string(name.size()) + " bytes; " +
                       std::to_string(kLongestCheckpointName) + " are the most");
        }
        if (!core::is_utf8(name) || name.find('\0') != std::string::npos) {
            return bad("a checkpoint in bytes that are not UTF-8, or have a zero: '" +
                       core::printable(name) + "'");
        }
        names.push_back(std::move(name));
    }
    return reader.ok() ? core::Result<std::vector<std::string>>(std::move(names))
                       : bad("checkpoints in an answer that ends too early");
}

}  // namespace isotick::harness
