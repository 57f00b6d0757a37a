// NetworkSpec::to_string.

#include "event_words.hpp"
#include "profiles.hpp"
#include "setting_words.hpp"

#include <isotick/core/schedule.hpp>
#include <isotick/harness/network_spec.hpp>

#include <algorithm>

namespace isotick::harness {
namespace {

void append(std::string& text, const std::string& word) {
    text += (text.empty() ? "" : " ") + word;
}

/// The given settings that differ from those of `other`, each as a word.
std::string words_beyond(const LinkSettings& other, const LinkSettings& settings,
                         std::uint32_t given) {
    std::string text;
    for (const SettingWord& each : setting_words()) {
        if ((given & bit_of(each.setting)) != 0 && !each.is_equal(settings, other)) {
            append(text, each.text(settings));
        }
    }
    return text;
}

std::string words_of(const LinkSettings& settings, std::uint32_t given) {
    std::string text;
    for (const SettingWord& each : setting_words()) {
        if ((given & bit_of(each.setting)) != 0) {
            append(text, each.text(settings));
        }
    }
    return text;
}

/// The profile that the fewest words lead from to these settings; the first of several.
const NetworkProfile& nearest_profile(const LinkSettings& settings) {
    return *std::ranges::min_element(network_profiles(), {}, [&](const NetworkProfile& each) {
        return std::ranges::count_if(setting_words(), [&](const SettingWord& word) {
            return !word.is_equal(settings, each.settings);
        });
    });
}

std::string usual_text(const LinkSettings& settings) {
    const NetworkProfile& profile = nearest_profile(settings);
    const std::uint32_t all = profile_bits() | bit_of(LinkSetting::trace);
    std::string text = words_beyond(profile.settings, settings, all);
    const bool is_named = text.empty() || &profile != &network_profiles().front();
    return is_named ? std::string(profile.name) + (text.empty() ? "" : " ") + text : text;
}

std::string node_text(std::uint32_t node) {
    return node == kAnyNode ? "*" : std::to_string(node);
}

std::string rule_text(const LinkRule& rule) {
    std::string inside;
    if ((rule.given & profile_bits()) == profile_bits()) {
        const NetworkProfile& profile = nearest_profile(rule.settings);
        inside = std::string(profile.name);
        const auto beyond = words_beyond(profile.settings, rule.settings, rule.given);
        inside += (beyond.empty() ? "" : " ") + beyond;
    } else {
        inside = words_of(rule.settings, rule.given);
    }
    return node_text(rule.from) + ">" + node_text(rule.to) + "(" + inside + ")";
}

std::string cut_text(const NetworkCut& cut) {
    std::string text = "cut(";
    for (const auto& group : cut.groups) {
        text += text.back() == '(' ? "" : "|";
        const char* comma = "";
        for (const std::uint32_t node : group) {
            text += comma + std::to_string(node);
            comma = ",";
        }
    }
    return text + "@" + core::to_string(core::FrameTime{cut.from_ns}) + "+" +
           core::to_string(core::FrameTime{cut.length_ns}) + ")";
}

std::string event_text(const PacketEvent& event) {
    std::string text(event_word(event.fault));
    text += "(" + std::to_string(event.from) + ">" + std::to_string(event.to) + "#" +
            std::to_string(event.number);
    if (event.fault != PacketFault::drop) {
        text += (event.by_ns < 0 ? "" : "+") + core::to_string(core::FrameTime{event.by_ns});
    }
    return text + ")";
}

}  // namespace

std::string NetworkSpec::to_string() const {
    std::string text = usual_text(parts_.usual);
    for (const LinkRule& each : parts_.rules) {
        append(text, rule_text(each));
    }
    for (const NetworkCut& each : parts_.cuts) {
        append(text, cut_text(each));
    }
    for (const PacketEvent& each : parts_.events) {
        append(text, event_text(each));
    }
    return text;
}

}  // namespace isotick::harness
