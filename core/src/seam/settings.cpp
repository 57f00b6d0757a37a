#include <isotick/core/detail/seam/settings.hpp>

#include <algorithm>
#include <charconv>

namespace isotick::core {
namespace {

bool key_before(const Settings::Entry& entry, std::string_view key) {
    return entry.first < key;
}

}  // namespace

Result<void> Settings::set(std::string key, std::string value) {
    if (key.empty() || key.find_first_of(std::string_view("=\0", 2)) != std::string::npos) {
        return fail(ErrorCode::usage, "'" + key + "' cannot be a setting's name");
    }
    if (value.find('\0') != std::string::npos) {
        return fail(ErrorCode::usage, "the value of '" + key + "' holds a NUL character");
    }
    const auto place = std::lower_bound(entries_.begin(), entries_.end(), key, key_before);
    if (place != entries_.end() && place->first == key) {
        place->second = std::move(value);
    } else {
        entries_.emplace(place, std::move(key), std::move(value));
    }
    return {};
}

Result<void> Settings::set_text(std::string_view key_equals_value) {
    const std::size_t equals = key_equals_value.find('=');
    if (equals == std::string_view::npos) {
        return fail(ErrorCode::usage,
                    "'" + std::string(key_equals_value) + "' is not of the form key=value");
    }
    return set(std::string(key_equals_value.substr(0, equals)),
               std::string(key_equals_value.substr(equals + 1)));
}

std::optional<std::string_view> Settings::find(std::string_view key) const {
    const auto place = std::lower_bound(entries_.begin(), entries_.end(), key, key_before);
    if (place == entries_.end() || place->first != key) {
        return std::nullopt;
    }
    if (observer_) {
        observer_->read(place->first.c_str());
    }
    return place->second;
}

const std::vector<Settings::Entry>& Settings::entries() const {
    if (observer_) {
        for (const Entry& entry : entries_) {
            observer_->read(entry.first.c_str());
        }
    }
    return entries_;
}

Result<std::uint64_t> Settings::number(std::string_view key, std::uint64_t fallback,
                                       std::uint64_t least, std::uint64_t most) const {
    const auto text = find(key);
    if (!text) {
        return fallback;
    }
    std::uint64_t value = 0;
    const auto [end, error] = std::from_chars(text->data(), text->data() + text->size(), value);
    if (error != std::errc() || end != text->data() + text->size() || value < least ||
        value > most) {
        return fail(ErrorCode::usage, "config " + std::string(key) + "=" + std::string(*text) +
                                          " is not a whole number from " + std::to_string(least) +
                                          " to " + std::to_string(most));
    }
    return value;
}

std::string to_string(const Settings& settings) {
    std::string text;
    for (const auto& [key, value] : settings.entries()) {
        text += (text.empty() ? "" : " ") + key + "=" + value;
    }
    return text;
}

}  // namespace isotick::core
