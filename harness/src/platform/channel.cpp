#include "channel.hpp"

#include <isotick/core/detail/try.hpp>

#include <utility>

namespace isotick::harness {
namespace {

using core::Result;

constexpr int kOutOfTheWay = kWorkerResponse + 1;

Result<Ends> moved_up(Result<Ends> made) {
    ISOTICK_TRY_ASSIGN(const auto ends, std::move(made));
    ISOTICK_TRY_ASSIGN(auto reading, copy_of(ends.reading, kOutOfTheWay));
    ISOTICK_TRY_ASSIGN(auto writing, copy_of(ends.writing, kOutOfTheWay));
    return Ends{std::move(reading), std::move(writing)};
}

}  // namespace

Result<Ends> sockets_out_of_the_way() {
    return moved_up(make_sockets());
}

Result<Ends> pipe_out_of_the_way() {
    return moved_up(make_pipe());
}

Result<FileDescriptor> file_out_of_the_way() {
    ISOTICK_TRY_ASSIGN(const auto file, anonymous_file());
    return copy_of(file, kOutOfTheWay);
}

}  // namespace isotick::harness
