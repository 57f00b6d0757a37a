#include <isotick/core/loops.hpp>
#include <isotick/harness/detail/repro.hpp>

namespace isotick::harness {
namespace {

constexpr std::string_view kBetween = " | ";

}  // namespace

std::string to_string(const Repro& repro) {
    return to_string(repro.loop) + std::string(kBetween) + repro.schedule.to_string();
}

core::Result<Repro> parse_repro(std::string_view text) {
    const std::size_t between = text.find(kBetween);
    if (between == std::string_view::npos) {
        return core::fail(core::ErrorCode::usage, "expected a loop, ' | ' and a schedule");
    }
    return core::parse_loop(text.substr(0, between)).and_then([&](const core::LoopOptions& loop) {
        return core::Schedule::parse(text.substr(between + kBetween.size()))
            .map([&loop](core::Schedule&& schedule) {
                return Repro{loop, std::move(schedule)};
            });
    });
}

}  // namespace isotick::harness
