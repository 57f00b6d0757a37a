#include "check_client.hpp"

#include "connection.hpp"

#include <isotick/core/detail/settings.hpp>
#include <isotick/core/detail/simulation_table.hpp>
#include <isotick/core/detail/text.hpp>
#include <isotick/core/detail/try.hpp>

#include <algorithm>
#include <array>
#include <bit>

namespace isotick::harness::check {
namespace {

using core::Bytes;
using core::Result;

constexpr std::size_t kMostOfMessage = 120;
constexpr std::uint64_t kSeed = 1;
constexpr std::size_t kHead = kSizeBytes + 1;

constexpr std::array kVerbNames{"verb 0",        "hello",      "create",       "begin_frame",
                                "step",          "render",     "hash",         "propose_input",
                                "save",          "load",       "visit_fields", "describe_input",
                                "compose_input", "note_writes"};

Bytes without_head(const Bytes& message) {
    return {message.begin() + kHead, message.end()};
}

tl::unexpected<core::Error> about(const std::string& verb, const core::Error& error) {
    core::Error told = error;
    told.message = verb + ": " + error.message;
    return tl::unexpected(std::move(told));
}

// How messages begin that tell of an answer.
std::string to_verb(Verb verb) {
    const auto number = static_cast<std::size_t>(verb);
    return std::string("to ") + (number < kVerbNames.size() ? kVerbNames[number] : "this verb");
}

}  // namespace

std::string status_text(const Reply& reply) {
    constexpr std::array kNames{"ok", "failed", "bad settings", "unknown verb"};
    const auto status = static_cast<std::size_t>(reply.status);
    std::string text = "status " + std::to_string(status) + " (" + kNames.at(status);
    if (reply.status != Status::ok && !reply.body.empty()) {
        const std::string message(reinterpret_cast<const char*>(reply.body.data()),
                                  std::min(reply.body.size(), kMostOfMessage));
        text += ": " + message.substr(0, message.find('\n'));
    }
    return text + ")";
}

Result<Client> Client::start(Stage& stage) {
    ISOTICK_TRY_ASSIGN(auto connection, Connection::open_apart(stage.command, stage.printed));
    return Client(stage, std::move(connection));
}

Result<void> Client::greet(ProcessInfo& info) {
    request_hello(connection_);
    return receive_hello(connection_, info, stage_->options.timeout);
}

Result<Client> Client::greeted(Stage& stage) {
    ISOTICK_TRY_ASSIGN(auto client, start(stage));
    ISOTICK_TRY(client.ask(Verb::hello, hello_body()));
    return client;
}

Result<Client> Client::created(Stage& stage) {
    ISOTICK_TRY_ASSIGN(auto client, greeted(stage));
    ISOTICK_TRY(client.ask(Verb::create, create_body(stage)));
    return client;
}

void Client::queue(std::uint8_t verb, std::span<const std::byte> body) {
    const Message message(connection_.requests(), verb);
    core::put_bytes(connection_.requests(), body);
}

Result<void> Client::send(std::span<const std::byte> bytes) {
    core::put_bytes(connection_.requests(), bytes);
    return connection_.send(stage_->options.timeout);
}

Result<void> Client::send_in_pieces(std::span<const std::byte> bytes) {
    constexpr std::chrono::milliseconds kUntilItSleeps{100};
    Result<void> sent;
    for (std::size_t i = 0; sent && i < bytes.size(); ++i) {
        sent = send(bytes.subspan(i, 1));
        connection_.await_reading(kUntilItSleeps);
    }
    return sent;
}

Result<Reply> Client::receive(Verb verb) {
    const auto answer = connection_.receive(verb, stage_->options.timeout);
    if (!answer) {
        return about(to_verb(verb), answer.error());
    }
    return Reply{answer->status, {answer->body.begin(), answer->body.end()}};
}

Result<Reply> Client::receive(Verb verb, std::initializer_list<Status> statuses) {
    auto answer = receive(verb);
    if (answer && std::find(statuses.begin(), statuses.end(), answer->status) == statuses.end()) {
        return came(to_verb(verb) + " it answers with " + status_text(*answer));
    }
    return answer;
}

Result<Reply> Client::reply(Verb verb, std::span<const std::byte> body) {
    queue(static_cast<std::uint8_t>(verb), body);
    return receive(verb);
}

Result<Bytes> Client::ask(Verb verb, std::span<const std::byte> body) {
    return ask_for(verb, body, {Status::ok}).map([](Reply&& reply) {
        return std::move(reply.body);
    });
}

Result<Reply> Client::ask_for(Verb verb, std::span<const std::byte> body,
                              std::initializer_list<Status> statuses) {
    queue(static_cast<std::uint8_t>(verb), body);
    return receive(verb, statuses);
}

Result<void> Client::step(std::uint64_t tick, const TickInputs& inputs) {
    const auto stepped = ask(Verb::step, step_body(*stage_, tick, inputs)).and_then(checkpoints_in);
    return stepped ? Result<void>() : about("tick " + std::to_string(tick), stepped.error());
}

Result<Hashes> Client::hash() {
    return ask(Verb::hash).and_then([this](const Bytes& body) { return hashes_in(*stage_, body); });
}

Bytes request(Verb verb, std::span<const std::byte> body) {
    Bytes bytes;
    const Message message(bytes, verb);
    core::put_bytes(bytes, body);
    return bytes;
}

Bytes hello_body() {
    Bytes body;
    core::put_bytes(body, std::as_bytes(std::span(kHelloMagic)));
    core::put(body, kProtocolVersion);
    return body;
}

Bytes create_body(const Stage& stage, std::uint32_t players, const core::Settings& config) {
    const auto c_config = core::detail::settings_as_c(config);
    const auto environment = core::detail::settings_as_c(stage.options.environment);
    Bytes message;
    put_create(message, {.struct_size = sizeof(isotick_setup),
                         .players = players,
                         .seed = kSeed,
                         .rate_numerator = stage.facts.info.rate_numerator,
                         .rate_denominator = stage.facts.info.rate_denominator,
                         .config_count = static_cast<std::uint32_t>(c_config.size()),
                         .environment_count = static_cast<std::uint32_t>(environment.size()),
                         .config = c_config.data(),
                         .environment = environment.data(),
                         .reads = nullptr,
                         .read_config = nullptr,
                         .read_environment = nullptr});
    return without_head(message);
}

Bytes create_body(const Stage& stage) {
    return create_body(stage, stage.players(), stage.options.config);
}

Bytes step_body(const Stage& stage, std::uint64_t tick, const TickInputs& inputs) {
    std::vector<isotick_input> list;
    for (const auto& input : inputs) {
        list.push_back({static_cast<std::uint32_t>(list.size()), input ? 1U : 0U,
                        input ? input->size() : 0,
                        input ? reinterpret_cast<const std::uint8_t*>(input->data()) : nullptr});
    }
    const isotick_info& info = stage.facts.info;
    Bytes message;
    put_step(message, {.struct_size = sizeof(isotick_step),
                       .input_count = static_cast<std::uint32_t>(list.size()),
                       .tick = tick,
                       .dt_seconds = static_cast<double>(info.rate_denominator) /
                                     static_cast<double>(info.rate_numerator),
                       .dt_num = info.rate_denominator,
                       .dt_den = info.rate_numerator,
                       .inputs = list.data(),
                       .checkpoints = nullptr,
                       .checkpoint = nullptr});
    return without_head(message);
}

Result<Hashes> hashes_in(const Stage& stage, std::span<const std::byte> body) {
    const std::size_t expected = stage.part_names.size() * sizeof(std::uint64_t);
    if (body.size() != expected) {
        return came("to hash it answers with " + std::to_string(body.size()) + " bytes; " +
                    std::to_string(stage.part_names.size()) + " parts take 8 each");
    }
    core::ByteReader reader(body);
    Hashes hashes(stage.part_names.size());
    for (std::uint64_t& hash : hashes) {
        hash = reader.get<std::uint64_t>();
    }
    return hashes;
}

Result<void> must_refuse(Stage& stage, const std::vector<Nonsense>& requests) {
    for (const Nonsense& each : requests) {
        ISOTICK_TRY_ASSIGN(auto client, each.client(stage));
        ISOTICK_TRY_ASSIGN(const auto reply,
                           told(each.words + ": ", client.reply(each.verb, each.body)));
        if (reply.status != Status::failed) {
            return came(each.words + ": " + status_text(reply));
        }
    }
    return {};
}

Result<void> expect_same(const Stage& stage, const Hashes& before, const Hashes& after,
                         const std::string& when) {
    std::vector<std::string> parts;
    for (std::size_t i = 0; i < before.size(); ++i) {
        if (before[i] != after[i]) {
            parts.push_back("'" + stage.part_names[i] + "'");
        }
    }
    return parts.empty() ? Result<void>() : came(when + ", another hash of " + core::joined(parts));
}

}  // namespace isotick::harness::check
