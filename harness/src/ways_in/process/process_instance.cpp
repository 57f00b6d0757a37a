#include "process_instance.hpp"

#include "requests.hpp"

#include <isotick/core/detail/try.hpp>

#include <cassert>
#include <cstring>
#include <span>
#include <utility>

namespace isotick::harness {
namespace {

using core::ErrorCode;
using core::Result;

tl::unexpected<core::Error> bad_answer(const std::string& what) {
    return core::fail(ErrorCode::simulation, "its process answered with " + what);
}

}  // namespace

Result<std::unique_ptr<ProcessInstance>> ProcessInstance::create(const std::string& command,
                                                                 const ProcessInfo& facts,
                                                                 const isotick_setup& setup,
                                                                 ProcessNotes& notes) {
    auto connection = Connection::open(command);
    if (!connection) {
        notes.shortage = connection.error();
        return tl::unexpected(connection.error());
    }
    auto instance =
        std::unique_ptr<ProcessInstance>(new ProcessInstance(*std::move(connection), notes));
    request_hello(instance->connection_);
    put_create(instance->connection_.requests(), setup);
    ProcessInfo now;
    ISOTICK_TRY(receive_hello(instance->connection_, now));
    if (now.name != facts.name || now.verbs != facts.verbs) {
        return core::fail(ErrorCode::simulation, "its info differs from start to start");
    }
    ISOTICK_TRY(instance->take_part_names());
    return instance;
}

ProcessInstance::~ProcessInstance() {
    if (!notes_->bad_end.empty() || connection_.is_over()) {
        return;
    }
    connection_.hang_up();
    const auto ending = connection_.await_end(ChildProcess::kPatience);
    if (!ending.process) {
        notes_->bad_end = "its process was still there 2 s after the end of its stdin";
    } else if (!ending.process->well()) {
        notes_->bad_end = "its process " + end_in_words(*ending.process);
    } else if (queued_.empty() && !ending.rest.empty()) {
        notes_->bad_end = "its process wrote more to stdout than the answers: " + ending.rest;
    }
}

Result<void> ProcessInstance::take_part_names() {
    ISOTICK_TRY_ASSIGN(const auto created, answer(Verb::create));
    return part_names_in(created.body).map([this](std::vector<std::string>&& names) {
        part_names_ = std::move(names);
    });
}

Result<void> ProcessInstance::queue(Verb verb) {
    queued_.push_back(verb);
    return connection_.post();
}

Result<void> ProcessInstance::begin_frame(std::int64_t frame_time_ns) {
    {
        const Message message(connection_.requests(), Verb::begin_frame);
        core::put(connection_.requests(), static_cast<std::uint64_t>(frame_time_ns));
    }
    return queue(Verb::begin_frame);
}

Result<void> ProcessInstance::step(const isotick_step& step) {
    const core::Bytes& requests = connection_.requests();
    const std::size_t before = requests.size();
    put_step(connection_.requests(), step);
    if (requests.size() - before > kSizeBytes + kLongestRequest) {
        return core::fail(ErrorCode::limit,
                          "its inputs are longer than the 64 MiB that a request may have");
    }
    return queue(Verb::step);
}

Result<void> ProcessInstance::render(double alpha) {
    {
        const Message message(connection_.requests(), Verb::render);
        core::put(connection_.requests(), std::bit_cast<std::uint64_t>(alpha));
    }
    return queue(Verb::render);
}

Result<void> ProcessInstance::hash() {
    { const Message message(connection_.requests(), Verb::hash); }
    return queue(Verb::hash);
}

Result<void> ProcessInstance::settle(isotick_part* parts, std::uint32_t capacity,
                                     std::uint32_t& count) {
    assert(!queued_.empty());
    const Verb verb = queued_.front();
    queued_.pop_front();
    ISOTICK_TRY_ASSIGN(const auto settled, answer(verb));
    if (verb != Verb::hash) {
        return {};
    }
    core::ByteReader reader(settled.body);
    if (reader.remaining() != part_names_.size() * sizeof(std::uint64_t) ||
        part_names_.size() > capacity) {
        return bad_answer(std::to_string(reader.remaining()) + " bytes of hashes; " +
                          std::to_string(part_names_.size()) + " parts take 8 each");
    }
    count = static_cast<std::uint32_t>(part_names_.size());
    for (std::uint32_t i = 0; i < count; ++i) {
        parts[i] = {part_names_[i].c_str(), reader.get<std::uint64_t>()};
    }
    return {};
}

Result<Answer> ProcessInstance::answer(Verb verb) {
    ISOTICK_TRY_ASSIGN(auto received, connection_.receive(verb));
    ISOTICK_TRY(check_answer(received));
    return received;
}

Result<void> ProcessInstance::propose_input(isotick_proposal& proposal) {
    core::Bytes& out = connection_.requests();
    {
        const Message message(out, Verb::propose_input);
        core::put(out, proposal.player);
        core::put(out, proposal.tick);
        core::put(out, proposal.entropy);
    }
    ISOTICK_TRY_ASSIGN(const auto proposed, answer(Verb::propose_input));
    core::ByteReader reader(proposed.body);
    proposal.present = reader.get<std::uint8_t>();
    const auto input = reader.take(reader.remaining());
    if (!reader.ok() || proposal.present > 1 || input.size() > proposal.capacity) {
        return bad_answer("an invalid input: " + std::to_string(proposed.body.size()) + " bytes");
    }
    proposal.size = input.size();
    if (!input.empty()) {
        std::memcpy(proposal.data, input.data(), input.size());
    }
    return {};
}

Result<void> ProcessInstance::write_to(const isotick_sink& sink, Verb verb) {
    { const Message message(connection_.requests(), verb); }
    return answer_into(sink, answer(verb));
}

Result<void> ProcessInstance::load(const std::uint8_t* data, std::uint64_t size) {
    if (size >= kLongestMessage) {
        return core::fail(ErrorCode::limit,
                          "a snapshot of more than 1 GiB cannot be sent to a process");
    }
    {
        const Message message(connection_.requests(), Verb::load);
        core::put_bytes(connection_.requests(), std::as_bytes(std::span(data, size)));
    }
    return answer(Verb::load).map([](const Answer&) {});
}

Result<void> answer_into(const isotick_sink& sink, const Result<Answer>& answer) {
    if (!answer) {
        return tl::unexpected(answer.error());
    }
    return sink.write(sink.context, answer->body.data(), answer->body.size()) == ISOTICK_OK
               ? Result<void>()
               : core::fail(ErrorCode::simulation, "the host wants no more");
}

}  // namespace isotick::harness
