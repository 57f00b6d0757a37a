#include "messages.hpp"

#include "message_archives.hpp"
#include "plan_fields.hpp"
#include "result_fields.hpp"

namespace isotick::harness {

template std::string to_bytes(const Job& message);
template core::Result<Job> from_bytes(std::string_view bytes);
template std::string to_bytes(const Response& message);
template core::Result<Response> from_bytes(std::string_view bytes);
template std::string to_bytes(const TrialPlan& message);

}  // namespace isotick::harness
