#include <isotick/core/detail/seam/seam_text.hpp>
#include <isotick/core/detail/try.hpp>

#include <algorithm>
#include <cstddef>
#include <cstring>

namespace isotick::core::detail {

void write_message(isotick_message* message, const char* text) {
    if (message == nullptr || message->text == nullptr || message->capacity == 0) {
        return;
    }
    const std::size_t length =
        std::min(std::strlen(text), static_cast<std::size_t>(message->capacity) - 1);
    std::memcpy(message->text, text, length);
    message->text[length] = '\0';
}

Result<Settings> settings_from_c(const isotick_setting* entries, std::uint32_t count) {
    Settings settings;
    for (std::uint32_t i = 0; i < count; ++i) {
        if (entries == nullptr || entries[i].key == nullptr || entries[i].value == nullptr) {
            return fail(ErrorCode::usage, "setting " + std::to_string(i) + " has no key or value");
        }
        ISOTICK_TRY(settings.set(entries[i].key, entries[i].value));
    }
    return settings;
}

std::vector<isotick_setting> settings_as_c(const Settings& settings) {
    std::vector<isotick_setting> entries;
    for (const auto& [key, value] : settings.entries()) {
        entries.push_back({key.c_str(), value.c_str()});
    }
    return entries;
}

}  // namespace isotick::core::detail
