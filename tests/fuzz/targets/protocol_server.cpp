// Requests of a hostile host: each gets one answer, whatever it says.

#include "../support/memory_file.hpp"
#include "../support/messages.hpp"

#include <isotick/core/detail/reference.hpp>
#include <isotick/harness/serve.hpp>

#include <algorithm>

#include <simulations/connection.hpp>
#include <simulations/wire.hpp>

namespace isotick::fuzz {
namespace {

constexpr unsigned kAsItIs = 0x80;
constexpr unsigned kWithoutBeginning = 0x40;
constexpr auto kLastStatus = static_cast<unsigned>(harness::Status::unknown_verb);

struct Served {
    const char* simulation;
    isotick_setting config;  // so that it takes little time
};

constexpr Served kServed[] = {{"spring", {"position", "100"}}, {"skirmish", {"units", "4"}}};

void put_beginning(core::Bytes& out, const Served& served, std::uint32_t players) {
    {
        const harness::Message hello(out, harness::Verb::hello);
        core::put_bytes(out, std::as_bytes(std::span(harness::kHelloMagic)));
        core::put(out, harness::kProtocolVersion);
    }
    isotick_setup setup{};
    setup.players = players;
    setup.rate_numerator = 60;
    setup.rate_denominator = 1;
    setup.config = &served.config;
    setup.config_count = 1;
    harness::put_create(out, setup);
}

// How many messages there are, all of them whole and of a kind up to `last`.
std::size_t count_messages(Input messages, unsigned last) {
    std::size_t count = 0;
    core::ByteReader reader(messages);
    while (reader.remaining() > 0) {
        const auto size = reader.get<std::uint32_t>();
        const auto kind = reader.get<std::uint8_t>();
        (void)reader.take(size - 1);
        require(reader.ok() && kind <= last, "only whole messages are taken and written");
        ++count;
    }
    return count;
}

}  // namespace

void run(Input input) {
    static MemoryFile requests;
    static MemoryFile answers;
    const unsigned mode = take_byte(input);
    const Served& choice = kServed[mode % std::size(kServed)];
    const isotick_simulation_table& table = *core::find_reference_simulation(choice.simulation);
    core::Bytes sent;
    if ((mode & kAsItIs) != 0) {
        sent.assign(input.begin(), input.end());
    } else {
        if ((mode & kWithoutBeginning) == 0) {
            put_beginning(sent, choice, std::min(table.info->most_players, 2U));
        }
        put_messages(sent, input);
    }
    requests.fill(sent);
    answers.fill({});
    const auto served = harness::serve(table, requests.descriptor(), answers.descriptor());
    const core::Bytes written = answers.content();
    const std::size_t count = count_messages(written, kLastStatus);
    require(!served || written.empty() || count == count_messages(sent, 0xff),
            "each request gets one answer");
}

}  // namespace isotick::fuzz
