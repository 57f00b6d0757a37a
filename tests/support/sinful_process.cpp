// A process that speaks harness/PROTOCOL.md, but for the sin that its argument names: each breaks
// one rule, so that `isotick sims --check` has to name the one check for it. Without a sin it is
// as good as any.

#include "simulations/served_simulation.hpp"

#include <isotick/core/adapter.hpp>
#include <isotick/core/detail/json.hpp>

#include <algorithm>
#include <array>
#include <bit>
#include <span>
#include <stdexcept>
#include <string>
#include <unistd.h>
#include <vector>

namespace isotick::tests {
namespace {

using core::Bytes;
using harness::Status;
using harness::Verb;

std::string sin_to_commit;

bool is(std::string_view sin) {
    return sin_to_commit == sin;
}

struct Sinner {
    static constexpr core::SimulationInfo kInfo{
        .name = "sinner", .most_players = 2, .usual_players = 1};

    Sinner() { only = this; }

    void begin_frame(core::FrameTime time) {
        counter += is("begin-frame-changes") ? 1U : 0U;
        if (is("dies-at-negative-frames") && time.nanoseconds < 0) {
            _exit(3);
        }
    }

    void step(const core::Step& step) {
        counter += 1 + (is("process-in-hash") ? static_cast<std::uint64_t>(getpid()) : 0U);
        counter += is("forgets") && ++hidden % 5 == 0 ? 1U : 0U;
        if (const auto input = step.inputs.of(0)) {
            inputs += 1 + input->size();
            if (is("refuses-long-inputs") && input->size() > 1000) {
                throw std::runtime_error("too long");
            }
        }
    }

    void render(double) { counter += is("render-changes") ? 1U : 0U; }

    bool propose_input(const core::Proposal& proposal, std::vector<std::uint8_t>& bytes) const {
        counter += is("proposing-changes") ? 1U : 0U;
        hidden += is("proposes-anything") ? 1U : 0U;
        bytes.assign(proposal.entropy % 3, static_cast<std::uint8_t>(proposal.entropy + hidden));
        return proposal.entropy % 5 != 0;
    }

    static std::string describe_input(std::uint32_t, std::span<const std::uint8_t> bytes) {
        return std::to_string(bytes.size());
    }

    static std::vector<std::uint8_t> compose_input(std::uint32_t, std::string_view json) {
        const auto size = core::parse_json(json).value_or(core::JsonValue()).as_unsigned();
        if (!size || *size > ISOTICK_LONGEST_INPUT) {
            throw std::invalid_argument("a size is wanted");
        }
        return std::vector<std::uint8_t>(*size + (is("composes-otherwise") ? 1U : 0U), 7);
    }

    template <class Archive>
    void serialize(Archive& archive) {
        archive(CEREAL_NVP(counter), CEREAL_NVP(inputs));
    }

    static inline Sinner* only = nullptr;
    mutable std::uint64_t counter = 0;  // proposing, which is const, must not change it
    std::uint64_t inputs = 0;
    mutable std::uint64_t hidden = 0;
};

struct Request {
    Verb verb;
    Bytes body;
};

Bytes message(Status status, const Bytes& body) {
    Bytes bytes;
    const harness::Message whole(bytes, status);
    core::put_bytes(bytes, body);
    return bytes;
}

Bytes part_names(std::string_view first, std::string_view second) {
    Bytes body;
    core::put(body, std::uint32_t{2});
    core::put_string(body, first);
    core::put_string(body, second);
    return message(Status::ok, body);
}

Bytes text(std::string_view characters) {
    Bytes bytes;
    core::put_bytes(bytes, std::as_bytes(std::span(characters)));
    return bytes;
}

// Sins that are in the way a request is understood.
void misread(Request& request) {
    Bytes& body = request.body;
    if (request.verb == Verb::hello && body.size() >= 12 && is("any-hello")) {
        std::copy_n(text(harness::kHelloMagic).begin(), 8, body.begin());
    }
    if (request.verb == Verb::step && body.size() >= 36) {
        constexpr std::size_t kCountAt = 32;
        core::ByteReader count{std::span<const std::byte>(body).subspan(kCountAt)};
        if (is("believes-counts") && count.get<std::uint32_t>() == UINT32_MAX) {
            _exit(9);
        }
        if (is("pads-short-requests")) {
            body.resize(body.size() + 64);
        }
    }
}

// A step that is whole, but for what makes it senseless.
struct Step {
    explicit Step(const Request& request) {
        core::ByteReader body(request.body);
        tick = body.get<std::uint64_t>();
        seconds = body.get<std::uint64_t>();
        numerator = body.get<std::uint64_t>();
        denominator = body.get<std::uint64_t>();
        inputs = body.get<std::uint32_t>();
        whole = request.verb == Verb::step && body.ok() && inputs < 4;
        long_inputs = request.body.size() > ISOTICK_LONGEST_INPUT;
    }

    std::uint64_t tick = 0;
    std::uint64_t seconds = 0;
    std::uint64_t numerator = 0;
    std::uint64_t denominator = 0;
    std::uint32_t inputs = 0;
    bool whole = false;
    bool long_inputs = false;
};

struct Wrong {
    const char* sin;
    bool due;
    Bytes answer;
};

Bytes long_checkpoint() {
    Bytes body;
    core::put(body, std::uint32_t{1});
    core::put_string(body, std::string(harness::kLongestCheckpointName + 1, 'a'));
    return body;
}

Bytes chosen(std::span<const Wrong> wrong, Bytes otherwise) {
    const auto found = std::find_if(wrong.begin(), wrong.end(),
                                    [](const Wrong& each) { return is(each.sin) && each.due; });
    return found == wrong.end() ? std::move(otherwise) : found->answer;
}

// Sins of accepting what was refused.
Bytes accept(const Request& request, Bytes right) {
    const auto verb = static_cast<int>(request.verb);
    if (static_cast<Status>(right[harness::kSizeBytes]) == Status::ok || Sinner::only == nullptr) {
        return right;
    }
    const Step step(request);
    constexpr std::uint32_t kInputs = 2;  // of the usual player and the world
    const Bytes ok = message(Status::ok, {});
    const Wrong wrong[] = {
        {"creates-twice", verb == 2, part_names("counter", "inputs")},
        {"greets-twice", verb == 1, ok},
        {"takes-no-inputs", step.whole && step.inputs == 0, ok},
        {"takes-few-inputs", step.whole && step.inputs == kInputs - 1, ok},
        {"takes-many-inputs", step.whole && step.inputs == kInputs + 1, ok},
        {"takes-long-inputs", step.whole && step.long_inputs, ok},
        {"takes-any-tick", step.whole && step.tick != 0, ok},
        {"takes-any-dt", step.whole && step.seconds >> 52U > 0x7fe, ok},
        {"divides-by-zero", step.whole && step.numerator != 0 && step.denominator == 0, ok},
        {"takes-another-dt", step.whole && step.seconds == std::bit_cast<std::uint64_t>(2.0), ok},
        {"takes-any-alpha", verb == 5, ok},
        {"proposes-for-anybody", verb == 7, message(Status::ok, Bytes(1))},
        {"goes-on-after-failure", verb == 6, message(Status::ok, Bytes(16))},
    };
    return chosen(wrong, right);
}

// Sins that are in the answer, or take its place.
Bytes misanswer(const Request& request, Bytes right) {
    const auto status = static_cast<Status>(right[harness::kSizeBytes]);
    const auto verb = static_cast<int>(request.verb);
    const bool good = status == Status::ok;
    const Wrong wrong[] = {
        {"other-version", verb == 1, message(Status::ok, Bytes(70, std::byte{2}))},
        {"dislikes-longer", verb == 1 && request.body.size() > 12, message(Status::failed, {})},
        {"nameless-part", verb == 2 && good, part_names("counter", "")},
        {"twin-parts", verb == 2 && good, part_names("counter", "counter")},
        {"names-change", verb == 2 && good, part_names("counter", std::to_string(getpid()))},
        {"refuses-most-players",
         verb == 2 && !request.body.empty() && request.body.front() == std::byte{2},
         message(Status::bad_settings, {})},
        {"names-checkpoints-at-length", verb == 4 && good, message(Status::ok, long_checkpoint())},
        {"hashes-too-many", verb == 6, message(Status::ok, Bytes(24))},
        {"proposes-too-much", verb == 7 && good, message(Status::ok, Bytes(65'538, std::byte{1}))},
        {"fields-of-another-kind", verb == 10, message(Status::ok, text("fields"))},
        {"describes-no-json", verb == 11 && good, message(Status::ok, text("{"))},
        {"describes-anything", verb == 11 && request.body.size() > ISOTICK_LONGEST_INPUT + 4,
         message(Status::ok, text("1"))},
        {"fails-unknown-verbs", status == Status::unknown_verb, message(Status::failed, {})},
    };
    return chosen(wrong, right);
}

void sin_afterwards(const Request& request, Status status) {
    const auto verb = request.verb;
    const bool changes = (is("hash-changes") && verb == Verb::hash) ||
                         (is("save-changes") && verb == Verb::save) ||
                         (is("fields-change") && verb == Verb::visit_fields) ||
                         (is("reads-appended") && verb == Verb::hash && !request.body.empty());
    if (changes && Sinner::only != nullptr) {
        ++Sinner::only->counter;
    }
    const bool dies =
        (is("dies-at-unknown-verbs") && status == Status::unknown_verb) ||
        (is("dies-at-bad-settings") && status == Status::bad_settings) ||
        (is("dies-at-bad-snapshots") && verb == Verb::load && status != Status::ok) ||
        (is("dies-at-bad-words") && verb == Verb::compose_input && status != Status::ok);
    if (dies) {
        _exit(3);
    }
}

class Process {
  public:
    Process() : served_(core::simulation_table<Sinner>()) {}

    int run() {
        std::array<std::byte, 65536> block{};
        while (true) {
            const ssize_t count = read(STDIN_FILENO, block.data(), block.size());
            if (count <= 0) {
                return end();
            }
            if (!is("needs-whole-reads") || count >= 4) {
                requests_.insert(requests_.end(), block.begin(), block.begin() + count);
            } else {
                dropped_ = true;
            }
            if (!answer_all()) {
                return 1;
            }
        }
    }

  private:
    [[nodiscard]] int end() const {
        if (is("writes-at-end")) {
            write_all(text("the end\n"));
        }
        if (is("outlives-stdin") && requests_.empty()) {
            sleep(20);
        }
        const bool whole = requests_.empty() && !dropped_;
        return is("ends-with-1") || (!whole && !is("ends-well-when-cut-off")) ? 1 : 0;
    }

    static void write_all(const Bytes& bytes) {
        std::size_t done = 0;
        while (done < bytes.size()) {
            const ssize_t count = write(STDOUT_FILENO, bytes.data() + done, bytes.size() - done);
            if (count <= 0) {
                _exit(1);
            }
            done += static_cast<std::size_t>(count);
        }
    }

    // False where nobody knows where the next request begins.
    bool answer_all() {
        std::vector<Bytes> answers;
        core::ByteReader reader(requests_);
        std::size_t done = 0;
        while (reader.remaining() >= harness::kSizeBytes) {
            const auto size = reader.get<std::uint32_t>();
            const auto verb = static_cast<Verb>(core::ByteReader(reader).get<std::uint8_t>());
            const bool load = verb == Verb::load || is("takes-long-requests");
            const bool impossible =
                size == 0 || size > (load ? harness::kLongestMessage : harness::kLongestRequest);
            if (impossible && !is("ignores-sizes")) {
                return false;
            }
            if (size == 0 || reader.remaining() < size) {
                break;
            }
            static_cast<void>(reader.get<std::uint8_t>());
            const auto body = reader.take(size - 1);
            done += harness::kSizeBytes + size;
            if (!is("drops-requests") || answers.size() < 10) {
                answers.push_back(answer({verb, {body.begin(), body.end()}}));
            }
        }
        requests_.erase(requests_.begin(), requests_.begin() + static_cast<std::ptrdiff_t>(done));
        if (is("answers-backwards")) {
            std::reverse(answers.begin(), answers.end());
        }
        for (const Bytes& each : answers) {
            write_all(each);
        }
        return true;
    }

    Bytes answer(Request request) {
        misread(request);
        Bytes right;
        served_.answer(static_cast<std::uint8_t>(request.verb), request.body, right);
        sin_afterwards(request, static_cast<Status>(right[harness::kSizeBytes]));
        Bytes given = misanswer(request, accept(request, right));
        if (is("answers-twice") && request.verb == Verb::step && ++steps_ == 21) {
            core::put_bytes(given, Bytes(given));
        }
        return given;
    }

    harness::ServedSimulation served_;
    Bytes requests_;
    int steps_ = 0;
    bool dropped_ = false;
};

}  // namespace
}  // namespace isotick::tests

int main(int argc, char** argv) {
    isotick::tests::sin_to_commit = argc > 1 ? argv[1] : "";
    if (isotick::tests::is("prints-first")) {
        const std::string_view hello = "hello, world\n";
        return write(STDOUT_FILENO, hello.data(), hello.size()) < 0
                   ? 1
                   : isotick::tests::Process().run();
    }
    return isotick::tests::Process().run();
}
