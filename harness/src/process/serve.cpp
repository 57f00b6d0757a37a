#include "../worker/posix.hpp"
#include "served_simulation.hpp"

#include <isotick/harness/serve.hpp>

#include <cerrno>
#include <unistd.h>

namespace isotick::harness {
namespace {

using core::ErrorCode;
using core::Result;

constexpr std::size_t kReadAtOnce = 64 * 1024;
constexpr std::size_t kWorthWriting = 64 * 1024;

// Requests as they come in, and the answers to them until they are written.
class Session {
  public:
    Session(const isotick_simulation_table& table, int in, int out)
        : served_(table), in_(in), out_(out) {}

    Result<void> run() {
        while (true) {
            if (auto answered = answer_all(); !answered) {
                return answered;
            }
            const auto more = read_more();
            if (!more || !*more) {
                return more.map([](bool) {});
            }
        }
    }

  private:
    Result<void> answer_all() {
        std::span<const std::byte> rest(requests_);
        while (rest.size() >= kSizeBytes) {
            core::ByteReader reader(rest);
            const auto size = reader.get<std::uint32_t>();
            if (size == 0 || size > kLongestMessage) {
                return core::fail(ErrorCode::damaged, "a request of " + std::to_string(size) +
                                                          " bytes: its host speaks no protocol");
            }
            if (reader.remaining() < size) {
                break;
            }
            const auto verb = reader.get<std::uint8_t>();
            served_.answer(verb, reader.take(size - 1), answers_);
            rest = rest.subspan(kSizeBytes + size);
            if (answers_.size() >= kWorthWriting) {
                if (auto written = write_answers(); !written) {
                    return written;
                }
            }
        }
        requests_.erase(requests_.begin(),
                        requests_.end() - static_cast<std::ptrdiff_t>(rest.size()));
        return write_answers();
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
        const std::size_t before = requests_.size();
        requests_.resize(before + kReadAtOnce);
        ssize_t count = 0;
        do {
            count = read(in_, requests_.data() + before, kReadAtOnce);
        } while (count < 0 && errno == EINTR);
        requests_.resize(before + (count > 0 ? static_cast<std::size_t>(count) : 0));
        if (count < 0) {
            return system_failure("cannot read requests");
        }
        if (count == 0 && before > 0) {
            return core::fail(ErrorCode::damaged, "the requests end within one");
        }
        return count > 0;
    }

    ServedSimulation served_;
    int in_;
    int out_;
    core::Bytes requests_;
    core::Bytes answers_;
};

}  // namespace

Result<void> serve(const isotick_simulation_table& table, int in, int out) {
    return Session(table, in, out).run();
}

}  // namespace isotick::harness
