#pragma once
// The messages of harness/PROTOCOL.md: numbers, and their frame of size and kind.

#include <isotick/core/detail/bytes.hpp>

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace isotick::harness {

inline constexpr std::uint32_t kProtocolVersion = 1;
inline constexpr std::string_view kHelloMagic = "isotick\n";
inline constexpr std::uint32_t kAbsentInput = 0xffffffff;
inline constexpr std::uint32_t kLongestMessage = std::uint32_t{1} << 30U;
inline constexpr std::uint32_t kLongestRequest = std::uint32_t{1} << 26U;  // other than load
inline constexpr std::uint32_t kLongestStepAnswer = std::uint32_t{1} << 20U;
inline constexpr std::uint32_t kMostStepCheckpoints = 1000;
inline constexpr std::size_t kLongestCheckpointName = 1000;
inline constexpr std::uint32_t kTakesChangingDt = 1;  // bit of an info's flags
inline constexpr std::size_t kSizeBytes = sizeof(std::uint32_t);

enum class Verb : std::uint8_t {
    hello = 1,
    create,
    begin_frame,
    step,
    render,
    hash,
    propose_input,
    save,
    load,
    visit_fields,
    describe_input,
    compose_input,
    note_writes,
};

enum class Status : std::uint8_t { ok, failed, bad_settings, unknown_verb };

/// The bit of a verb in an info's set.
[[nodiscard]] constexpr std::uint64_t bit_of(Verb verb) {
    return std::uint64_t{1} << static_cast<unsigned>(verb);
}

inline constexpr std::uint64_t kNeededVerbs =
    bit_of(Verb::hello) | bit_of(Verb::create) | bit_of(Verb::step) | bit_of(Verb::hash);

/// Appends one message to `out`: a kind, and the body that is put there while this lives.
class Message {
  public:
    template <class Kind>
    Message(core::Bytes& out, Kind kind) : out_(out), start_(out.size()) {
        core::put(out, std::uint32_t{0});
        core::put(out, static_cast<std::uint8_t>(kind));
    }
    ~Message() {
        core::store(out_.data() + start_,
                    static_cast<std::uint32_t>(out_.size() - start_ - kSizeBytes));
    }
    Message(const Message&) = delete;
    Message& operator=(const Message&) = delete;

  private:
    core::Bytes& out_;
    std::size_t start_;
};

}  // namespace isotick::harness
