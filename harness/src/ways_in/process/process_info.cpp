#include "process_info.hpp"

#include <isotick/core/detail/try.hpp>

#include <string_view>

namespace isotick::harness {
namespace {

using core::ErrorCode;
using core::Result;

std::string_view text_of(std::span<const std::byte> bytes) {
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

const char* null_if_empty(const std::string& text) {
    return text.empty() ? nullptr : text.c_str();
}

// A pair of verbs stands for one capability.
Result<bool> answers_both(const ProcessInfo& info, Verb one, Verb other, const char* names) {
    if (info.answers(one) != info.answers(other)) {
        return core::fail(ErrorCode::simulation,
                          std::string("its info has only one of the verbs ") + names);
    }
    return info.answers(one);
}

Result<std::uint64_t> capabilities_of(const ProcessInfo& info, std::uint32_t flags) {
    ISOTICK_TRY_ASSIGN(const bool saves,
                       answers_both(info, Verb::save, Verb::load, "save and load"));
    ISOTICK_TRY_ASSIGN(const bool describes,
                       answers_both(info, Verb::describe_input, Verb::compose_input,
                                    "describe_input and compose_input"));
    // A fork of its host would share the process, just as it would lack the threads of others.
    return ISOTICK_MANY_INSTANCES | ISOTICK_OWN_THREADS | ISOTICK_QUEUES_CALLS |
           ((flags & kTakesChangingDt) != 0 ? ISOTICK_CHANGING_DT : 0) |
           (saves ? ISOTICK_CAN_SAVE : 0) |
           (info.answers(Verb::visit_fields) ? ISOTICK_HAS_FIELDS : 0) |
           (describes ? ISOTICK_DESCRIBES_INPUTS : 0);
}

bool is_text_for_c(const std::string& text) {
    return text.find('\0') == std::string::npos;
}

Result<void> check_version(std::uint32_t version) {
    return version == kProtocolVersion
               ? Result<void>()
               : core::fail(ErrorCode::version, "its process speaks version " +
                                                    std::to_string(version) +
                                                    " of the protocol, this isotick version " +
                                                    std::to_string(kProtocolVersion));
}

void point_to_texts(ProcessInfo& info) {
    info.info.name = info.name.c_str();
    info.info.summary = null_if_empty(info.summary);
    info.info.hash_algorithm = null_if_empty(info.hash_algorithm);
    info.info.config_help = null_if_empty(info.config_help);
    info.info.build_id = null_if_empty(info.build_id);
    info.info.nan_policy = null_if_empty(info.nan_policy);
}

}  // namespace

void request_hello(Connection& connection) {
    const Message hello(connection.requests(), Verb::hello);
    core::put_bytes(connection.requests(), std::as_bytes(std::span(kHelloMagic)));
    core::put(connection.requests(), kProtocolVersion);
}

Result<void> receive_hello(Connection& connection, ProcessInfo& info,
                           Connection::Patience patience) {
    ISOTICK_TRY_ASSIGN(const auto answer, connection.receive(Verb::hello, patience));
    ISOTICK_TRY(check_answer(answer));
    core::ByteReader reader(answer.body);
    ISOTICK_TRY(check_version(reader.get<std::uint32_t>()));
    info.info = {};
    info.info.struct_size = sizeof info.info;
    info.info.rate_numerator = reader.get<std::uint32_t>();
    info.info.rate_denominator = reader.get<std::uint32_t>();
    info.info.least_players = reader.get<std::uint32_t>();
    info.info.most_players = reader.get<std::uint32_t>();
    info.info.usual_players = reader.get<std::uint32_t>();
    info.verbs = reader.get<std::uint64_t>();
    const auto flags = reader.get<std::uint32_t>();
    for (std::string* text : {&info.name, &info.summary, &info.hash_algorithm, &info.config_help,
                              &info.build_id, &info.nan_policy}) {
        *text = reader.string();
        if (!is_text_for_c(*text)) {
            return core::fail(ErrorCode::simulation, "its info has a text with a zero byte");
        }
    }
    if (!reader.ok()) {
        return core::fail(ErrorCode::simulation, "its info ends too early");
    }
    if ((info.verbs & kNeededVerbs) != kNeededVerbs) {
        return core::fail(ErrorCode::simulation,
                          "its info lacks one of the verbs hello, create, step and hash");
    }
    point_to_texts(info);
    return capabilities_of(info, flags).map([&info](std::uint64_t capabilities) {
        info.info.capabilities = capabilities;
    });
}

Result<void> check_answer(const Answer& answer) {
    const std::string_view message = text_of(answer.body);
    switch (answer.status) {
        case Status::ok:
            return {};
        case Status::failed:
            return core::fail(ErrorCode::simulation,
                              message.empty() ? "failed without a reason" : std::string(message));
        case Status::bad_settings:
            return core::fail(ErrorCode::usage, std::string(message));
        case Status::unknown_verb:
            break;
    }
    return core::fail(ErrorCode::simulation, "its process says that it does not know the verb");
}

}  // namespace isotick::harness
