#include "live_process.hpp"

#include "../system/channel.hpp"
#include "../system/keeper.hpp"
#include "../system/posix.hpp"
#include "../system/process.hpp"
#include "live_peer.hpp"
#include "relay.hpp"

#include <isotick/core/detail/try.hpp>

#include <array>
#include <fcntl.h>
#include <unistd.h>
#include <utility>

namespace isotick::harness {

using core::Result;

Result<LiveProcess> LiveProcess::start(const std::string& executable, const LiveRequest& request) {
    LiveProcess live;
    ISOTICK_TRY_ASSIGN(live.request_, out_of_the_way(anonymous_file()));
    ISOTICK_TRY_ASSIGN(live.response_, out_of_the_way(anonymous_file()));
    ISOTICK_TRY_ASSIGN(auto sockets, sockets_out_of_the_way());
    ISOTICK_TRY_ASSIGN(auto output, pipe_out_of_the_way());
    live.socket_ = std::move(sockets.reading);
    live.output_ = std::move(output.reading);
    do_not_block(live.output_);
    ISOTICK_TRY(put_content(live.request_.get(), bytes_of(request)));
    Start start{.failure = "cannot start a process of the session",
                .path = executable,
                .arguments = {executable, std::string(kLiveArgument)},
                .environment = own_environment(),
                .files = {{output.writing.get(), STDOUT_FILENO},
                          {output.writing.get(), STDERR_FILENO},
                          {sockets.writing.get(), kWorkerSocket},
                          {live.request_.get(), kWorkerRequest},
                          {live.response_.get(), kWorkerResponse}},
                .without_input = true,
                .leads_group = true};
    ISOTICK_TRY_ASSIGN(live.process_, start_program(std::move(start)));
    return live;
}

bool LiveProcess::tell(LiveSignal::Kind kind, std::uint64_t value) const {
    return send_message(socket_.get(), LiveSignal{kind, value});
}

std::optional<LiveSignal> LiveProcess::hear() {
    LiveSignal signal;
    if (!receive_message(socket_.get(), signal)) {
        socket_.reset();
        return std::nullopt;
    }
    return signal;
}

void LiveProcess::drain_output() {
    std::array<char, 16384> block{};
    while (output_.get() >= 0) {
        const ssize_t count = read(output_.get(), block.data(), block.size());
        if (count == 0) {
            output_.reset();
        }
        if (count <= 0) {
            return;
        }
        printed_.add({block.data(), static_cast<std::size_t>(count)});
    }
}

bool LiveProcess::wait_briefly() const {
    constexpr int kMoment_ms = 10;
    if (process_.has_ended()) {
        return true;
    }
    const int output = output_.get();
    wait_to_read({&output, output >= 0 ? 1U : 0U}, kMoment_ms);
    return process_.has_ended();
}

void LiveProcess::kill() {
    if (process_.id() <= 0) {
        return;
    }
    process_.end(kKeeperPatience);
    socket_.reset();
}

Result<LiveAnswer> LiveProcess::end(std::chrono::milliseconds patience) {
    const auto ended = process_.wait(patience);
    kill();
    drain_output();
    socket_.reset();
    if (!ended) {
        return core::fail(core::ErrorCode::limit, "did not end in time");
    }
    if (!ended->well()) {
        return core::fail(core::ErrorCode::simulation, describe_end(*ended));
    }
    ISOTICK_TRY_ASSIGN(const auto bytes, get_content(response_.get(), kLongestResponse));
    return parse_live_answer(bytes);
}

namespace {

using core::Result;

LiveAnswer answer_to(const LiveRequest& request, SimulationCatalog& catalog) {
    if (const auto* relay = std::get_if<RelayRequest>(&request.role)) {
        const auto answer = run_relay(request, *relay);
        return answer ? LiveAnswer(*answer) : LiveAnswer(answer.error());
    }
    const auto answer = run_live_peer(request, std::get<LivePeerRequest>(request.role), catalog);
    return answer ? LiveAnswer(*answer) : LiveAnswer(answer.error());
}

}  // namespace

std::optional<int> run_if_live(std::span<const char* const> arguments, SimulationCatalog& catalog) {
    if (arguments.size() < 2 || arguments[1] != kLiveArgument) {
        return std::nullopt;
    }
    leave_no_core_file();
    constexpr std::array kInherited{kWorkerSocket, kWorkerRequest, kWorkerResponse};
    for (const int inherited : kInherited) {
        fcntl(inherited, F_SETFD, FD_CLOEXEC);  // not for what a simulation starts
    }
    const auto kept = keep(arguments, kInherited);
    if (!kept) {
        return kBrokenChannel;
    }
    if (*kept) {
        end_like((*kept)->process);
    }
    const auto bytes = get_content(kWorkerRequest);
    const auto request = bytes ? parse_live_request(*bytes) : tl::unexpected(bytes.error());
    if (!request) {
        return kBrokenChannel;
    }
    const LiveAnswer answer = answer_to(*request, catalog);
    return put_content(kWorkerResponse, bytes_of(answer)) ? 0 : kBrokenChannel;
}

}  // namespace isotick::harness
