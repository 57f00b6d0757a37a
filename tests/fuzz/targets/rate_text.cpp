// Tick rates, dts and settings: what is printed reads back as the same.

#include "../support/fuzz_target.hpp"

#include <isotick/core/detail/settings.hpp>
#include <isotick/core/detail/tick_dt.hpp>
#include <isotick/core/time.hpp>

namespace isotick::fuzz {
namespace {

template <class T>
void check_number(std::string_view text) {
    const auto parsed = T::parse(text);
    if (parsed) {
        const auto again = T::parse(to_string(*parsed));
        require(again && *again == *parsed, "a printed fraction reads back as the same");
    }
}

void check_setting(std::string_view text) {
    core::Settings settings;
    if (settings.set_text(text)) {
        const auto& [key, value] = settings.entries().front();
        require(key + "=" + value == text, "a setting keeps its text");
        require(settings.find(key) == value, "a setting is found under its key");
    }
}

}  // namespace

void run(Input input) {
    check_number<core::TickRate>(text_of(input));
    check_number<core::TickDt>(text_of(input));
    check_setting(text_of(input));
}

}  // namespace isotick::fuzz
