// How a process ends.

#include "client.hpp"

#include <isotick/core/detail/try.hpp>

#include <string_view>

namespace isotick::harness::check {
namespace {

using core::Bytes;
using core::Result;

std::string end_text(const Connection::Ending& ending) {
    if (!ending.process) {
        return "it is still there";
    }
    return ending.process->signal == 0
               ? "it ends with exit code " + std::to_string(ending.process->exit_code)
               : describe_end(*ending.process);
}

bool ended_well(const Connection::Ending& ending) {
    return ending.process && ending.process->well();
}

Result<void> end(Stage& stage) {
    ISOTICK_TRY_ASSIGN(auto client, Client::created(stage));
    for (std::uint64_t tick = 0; tick < stage.script.size(); ++tick) {
        ISOTICK_TRY(client.step(tick, stage.script[tick]));
    }
    client.hang_up();
    const auto ending = client.await_end(ChildProcess::kPatience);
    if (!ending.rest.empty()) {
        return came("on stdout, after the answers: " + ending.rest);
    }
    return ended_well(ending) ? Result<void>()
                              : came(end_text(ending) + (ending.process ? "" : " after 2 s"));
}

// After bytes that are no whole request, and perhaps the end of stdin.
Result<void> must_end_badly(Stage& stage, const Bytes& bytes, bool hang_up,
                            const std::string& what) {
    ISOTICK_TRY_ASSIGN(auto client, Client::created(stage));
    ISOTICK_TRY(client.send(bytes));
    if (hang_up) {
        client.hang_up();
    }
    const auto ending = client.await_end(hang_up ? ChildProcess::kPatience : stage.options.timeout);
    return ending.process && !ended_well(ending) ? Result<void>()
                                                 : came("after " + what + ", " + end_text(ending));
}

Result<void> cut_off(Stage& stage) {
    Bytes request;
    {
        const Message message(request, Verb::step);
        core::put_bytes(request, step_body(stage, 0, stage.script[0]));
    }
    request.pop_back();
    ISOTICK_TRY(must_end_badly(stage, {request.begin(), request.begin() + 2}, true,
                               "two bytes of a request"));
    return must_end_badly(stage, request, true, "all of a step but its last byte");
}

Bytes beginning(std::uint32_t size, Verb verb) {
    Bytes head;
    core::put(head, size);
    core::put(head, static_cast<std::uint8_t>(verb));
    return head;
}

Result<void> sizes(Stage& stage) {
    const std::pair<std::string_view, Bytes> tries[] = {
        {"a size of 0", Bytes(kSizeBytes + 1, std::byte{0})},
        {"a step of more than 64 MiB", beginning(kLongestRequest + 1, Verb::step)},
        {"a load of more than 1 GiB", beginning(kLongestMessage + 1, Verb::load)},
    };
    for (const auto& [what, bytes] : tries) {
        ISOTICK_TRY(must_end_badly(stage, bytes, false, std::string(what)));
    }
    return {};
}

}  // namespace

std::vector<Check> end_checks() {
    return {
        {.name = "end",
         .expected = "ends with exit code 0 within 2 s of the end of stdin, stdout all answers",
         .advice = "exit when a read returns end of file; answer each request once",
         .play = end},
        {.name = "cut-off",
         .expected = "ends with another exit code than 0 where stdin ends within a request",
         .advice = "the host has crashed: do not report success",
         .play = cut_off},
        {.name = "sizes",
         .expected = "ends with another exit code than 0 at a size of 0 or beyond 64 MiB or 1 GiB",
         .advice = "the next request cannot be found; check each size before you use it",
         .play = sizes},
    };
}

}  // namespace isotick::harness::check
