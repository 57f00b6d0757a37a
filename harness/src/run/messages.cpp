#include "messages.hpp"

#include "message_archives.hpp"
#include "message_fields.hpp"
#include "state_writes.hpp"

#include <isotick/harness/detail/course.hpp>

namespace isotick::harness {

template std::string to_bytes(const Job& message);
template core::Result<Job> from_bytes(std::string_view bytes);
template std::string to_bytes(const Response& message);
template core::Result<Response> from_bytes(std::string_view bytes);
template std::string to_bytes(const TrialPlan& message);

template std::string to_bytes(const WriteLog& message);
template core::Result<WriteLog> from_bytes(std::string_view bytes);

template std::string to_bytes(const Course& message);
template core::Result<Course> from_bytes(std::string_view bytes);
template std::string to_bytes(const JoinState& message);
template core::Result<JoinState> from_bytes(std::string_view bytes);

}  // namespace isotick::harness
