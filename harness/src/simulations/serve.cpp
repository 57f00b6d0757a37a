#include "serve.hpp"

#include "../system/system_calls.hpp"

#include <isotick/core/detail/simulation_table.hpp>
#include <isotick/core/detail/try.hpp>
#include <isotick/harness/serve.hpp>

#include <cstdio>
#include <string>
#include <unistd.h>

namespace isotick::harness {

using core::ErrorCode;
using core::Result;

void ServedStream::add(std::span<const std::byte> bytes) {
    requests_.erase(requests_.begin(), requests_.begin() + static_cast<std::ptrdiff_t>(done_));
    done_ = 0;
    core::put_bytes(requests_, bytes);
}

// A size of 0 is known as such without the verb, which belongs to another message by then.
std::optional<ServedStream::Head> ServedStream::next_head() const {
    core::ByteReader reader(rest());
    Head head;
    head.size = reader.get<std::uint32_t>();
    if (!reader.ok()) {
        return std::nullopt;
    }
    head.verb = reader.get<std::uint8_t>();
    return reader.ok() || head.size == 0 ? std::optional(head) : std::nullopt;
}

Result<bool> ServedStream::answer_next(core::Bytes& answers) {
    const auto head = next_head();
    if (!head) {
        return false;
    }
    const std::uint32_t longest =
        head->verb == static_cast<std::uint8_t>(Verb::load) ? kLongestMessage : kLongestRequest;
    if (head->size == 0 || head->size > longest) {
        return core::fail(ErrorCode::damaged, "a request of " + std::to_string(head->size) +
                                                  " bytes: its host speaks no protocol");
    }
    if (rest().size() < kSizeBytes + head->size) {
        return false;
    }
    const auto body = rest().subspan(kSizeBytes + 1, head->size - 1);
    done_ += kSizeBytes + head->size;
    served_.answer(head->verb, body, answers);
    return true;
}

Result<void> ServedStream::end() const {
    return rest().empty() ? Result<void>()
                          : core::fail(ErrorCode::damaged, "the requests end within one");
}

namespace {

using core::Result;

constexpr unsigned kReadAtOnce = 64 * 1024;
constexpr std::size_t kWorthWriting = 64 * 1024;

// A stream of requests between two files.
class Session {
  public:
    Session(const isotick_simulation_table& table, int in, int out)
        : stream_(table), in_(in), out_(out), block_(kReadAtOnce) {}

    Result<void> run() {
        pass_bytes_unchanged(in_);
        pass_bytes_unchanged(out_);
        while (true) {
            ISOTICK_TRY(answer_all());
            const auto more = read_more();
            if (!more || !*more) {
                return more.and_then([this](bool) { return stream_.end(); });
            }
        }
    }

  private:
    Result<void> answer_all() {
        Result<bool> more = true;
        while (more && *more) {
            if (answers_.size() >= kWorthWriting) {
                ISOTICK_TRY(write_answers());
            }
            more = stream_.answer_next(answers_);
        }
        auto written = write_answers();
        return more ? written : tl::unexpected(more.error());
    }

    Result<void> write_answers() {
        const std::string_view text(reinterpret_cast<const char*>(answers_.data()),
                                    answers_.size());
        if (!write_all(out_, text)) {
            return system_failure("cannot write answers");
        }
        answers_.clear();
        return {};
    }

    Result<bool> read_more() {
        const ssize_t count = uninterrupted([&] { return read(in_, block_.data(), kReadAtOnce); });
        if (count < 0) {
            return system_failure("cannot read requests");
        }
        stream_.add(std::span(block_).first(static_cast<std::size_t>(count)));
        return count > 0;
    }

    ServedStream stream_;
    int in_;
    int out_;
    core::Bytes block_;
    core::Bytes answers_;
};

}  // namespace

Result<void> serve(const isotick_simulation_table& table, int in, int out) {
    return Session(table, in, out).run();
}

int serve_main(const isotick_simulation_table* table) {
    const StdoutAside aside;
    const auto served = core::check_table(table).and_then(
        [&] { return serve(*table, STDIN_FILENO, aside.real_stdout()); });
    if (!served) {
        std::fprintf(stderr, "error: %s\n", core::describe(served.error()).c_str());
    }
    return served ? 0 : 1;
}

}  // namespace isotick::harness
