// What worker processes are asked and answer: any text is a message or an error, and no message
// changes on its way.

#include "../support/fuzz_target.hpp"

#include <json/json.hpp>
#include <worker/job.hpp>

namespace isotick::fuzz {
namespace {

using core::Result;
using harness::Json;

// Messages are MessagePack; in the corpus they stand as JSON, which people can read.
std::string packed(std::string_view text) {
    const Json json = Json::parse(text, nullptr, false);
    std::string bytes(text);
    if (!json.is_discarded()) {
        bytes.clear();
        Json::to_msgpack(json, bytes);
    }
    return bytes;
}

void check_job(std::string_view bytes) {
    const auto job = harness::parse_job(bytes);
    if (!job) {
        return;
    }
    const std::string written = to_bytes(*job);
    const auto again = harness::parse_job(written);
    require(again && to_bytes(*again) == written, "a job arrives as it was sent");
}

template <class T>
void check_response(std::string_view bytes, Result<T> (*parse)(std::string_view)) {
    const auto response = parse(bytes);
    if (!response) {
        return;
    }
    const Json written{{"result", to_json(*response)}};
    std::string sent;
    Json::to_msgpack(written, sent);
    const auto again = parse(sent);
    require(again && to_json(*again) == written.at("result"), "a result arrives as it was sent");
}

}  // namespace

void run(Input input) {
    const unsigned kind = take_byte(input);
    const std::string text = packed(text_of(input));
    switch (kind) {
        case 'j':
            return check_job(text);
        case 't':
            return check_response(text, harness::parse_trial_response);
        case 'r':
            return check_response(text, harness::parse_record_response);
        case 'f':
            return check_response(text, harness::parse_facts_response);
        case 'p':
            (void)harness::parse_probe_response(text);
            return;
        default:
            (void)harness::parse_held_response(text);
    }
}

}  // namespace isotick::fuzz
