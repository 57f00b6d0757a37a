// What worker processes are asked and answer: any bytes are a message or an error, and no message
// changes on its way.

#include "../../harness/messages/example_messages.hpp"
#include "../support/fuzz_target.hpp"

namespace isotick::fuzz {
namespace {

using harness::Job;
using harness::Response;

template <class Message>
void check(std::string_view bytes) {
    const auto message = harness::from_bytes<Message>(bytes);
    if (!message) {
        return;
    }
    const std::string written = to_bytes(*message);
    const auto again = harness::from_bytes<Message>(written);
    require(again && to_bytes(*again) == written, "a message arrives as it was sent");
}

unsigned take_place(Input& input) {
    const unsigned low = take_byte(input);
    return low | take_byte(input) << 8U;
}

// Each edit is two bytes for a place and one to stand there; what is left cuts the message.
std::string edited(std::string bytes, Input edits) {
    while (edits.size() >= 3) {
        const unsigned place = take_place(edits);
        bytes[place % bytes.size()] = static_cast<char>(take_byte(edits));
    }
    if (!edits.empty()) {
        bytes.resize(take_place(edits) % bytes.size());
    }
    return bytes;
}

template <class Message>
std::string edited_example(const std::vector<Message>& examples, Input input) {
    const Message& example = examples[take_byte(input) % examples.size()];
    return edited(to_bytes(example), input);
}

}  // namespace

// A letter says what the input is: a job or response as it stands, or a byte that names an example
// (so that the corpus does not age with the messages) and edits to it.
void run(Input input) {
    static const std::vector<Job> jobs = tests::example_jobs();
    static const std::vector<Response> responses = tests::example_responses();
    switch (take_byte(input)) {
        case 'j':
            return check<Job>(text_of(input));
        case 'r':
            return check<Response>(text_of(input));
        case 'J':
            return check<Job>(edited_example(jobs, input));
        default:
            return check<Response>(edited_example(responses, input));
    }
}

}  // namespace isotick::fuzz
