// Traces of links: any text is a trace or an error, and a network with the trace delivers.

#include "../support/fuzz_target.hpp"

#include <isotick/harness/network.hpp>

#include <algorithm>
#include <string>

namespace isotick::fuzz {
namespace {

using core::ErrorCode;
using harness::LinkTrace;
using harness::SimulatedNetwork;

void send_over(const std::shared_ptr<const LinkTrace>& trace) {
    harness::NetworkParts parts;
    parts.usual.trace = {"trace", trace};
    auto network = SimulatedNetwork::make(harness::NetworkSpec::from_parts(parts).value(), 2, 1);
    const Input bytes{};
    for (int i = 0; i < 20; ++i) {
        require(network->send(0, 1, bytes).has_value(), "any packet can be sent");
        const std::int64_t step_ns = trace->length_ns() / 7 + 1;
        require(network->advance(network->now() + step_ns).has_value(), "time goes on");
        while (const auto arrived = network->receive(1)) {
            require(arrived->at_ns <= network->now(), "nothing arrives before its time");
        }
    }
    const harness::LinkStatistics counts = network->statistics();
    require(counts.sent == counts.delivered + counts.lost + counts.overflowed + counts.in_flight,
            "no packet gets lost but as a loss");
}

}  // namespace

void run(Input input) {
    const auto trace = LinkTrace::parse(text_of(input));
    if (!trace) {
        const ErrorCode code = trace.error().code;
        require(code == ErrorCode::damaged || code == ErrorCode::limit, "a bad trace is damaged");
        return;
    }
    require((*trace)->length_ns() > 0, "a trace lasts");
    require((*trace)->deliveries_ns().empty() != (*trace)->conditions().empty(),
            "a trace is of one kind");
    send_over(*trace);
}

}  // namespace isotick::fuzz
