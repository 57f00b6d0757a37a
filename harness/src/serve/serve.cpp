#include "served_stream.hpp"
#include "stdout_aside.hpp"
#include "system_calls.hpp"

#include <isotick/core/detail/adapter/simulation_table.hpp>
#include <isotick/core/detail/try.hpp>
#include <isotick/harness/serve.hpp>

#include <cstdio>
#include <unistd.h>

namespace isotick::harness {
namespace {

using core::Result;

constexpr std::size_t kReadAtOnce = 64 * 1024;
constexpr std::size_t kWorthWriting = 64 * 1024;

// A stream of requests between two files.
class Session {
  public:
    Session(const isotick_simulation_table& table, int in, int out)
        : stream_(table), in_(in), out_(out), block_(kReadAtOnce) {}

    Result<void> run() {
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
        const ssize_t count =
            uninterrupted([&] { return read(in_, block_.data(), block_.size()); });
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
